// Drives examples/clients/java/Lastword.java as Tests/Clients/minimal.py says.

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;

public final class Driver {
  private static String outcome(CompletableFuture<JsonElement> call) throws InterruptedException {
    try {
      return "result " + call.get().getAsJsonObject().get("q").getAsString();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Lastword.RPCException error) {
        return "error " + error.code + (error.isUnwanted() ? " unwanted" : "") + (error.mayHaveRun() ? " may-have-run" : "");
      }
      return failed.getCause() instanceof IOException ? "lost" : failed.toString();
    }
  }

  /** Under TLS, and with a token, if the environment says so. */
  private static Lastword connect(String host, int port) throws Exception {
    var ca = System.getenv("LASTWORD_CA");
    var token = System.getenv().getOrDefault("LASTWORD_TOKEN", "");
    try {
      var gateway = new Lastword(host, port, ca == null ? SocketFactory.getDefault() : Lastword.trusting(Path.of(ca)));
      if (!token.isEmpty()) gateway.authenticate(token).get();
      return gateway;
    } catch (SSLException refused) {
      System.err.println("error: " + refused.getMessage());
    } catch (ExecutionException failed) {
      var code = failed.getCause() instanceof Lastword.RPCException error ? error.code + " " : "";
      System.err.println("error: " + code + failed.getCause().getMessage());
    }
    System.exit(1);
    throw new IllegalStateException("it has ended");
  }

  public static void main(String[] words) throws Exception {
    var out = new PrintStream(System.out, true, UTF_8);
    var calls = new HashMap<String, CompletableFuture<JsonElement>>();
    try (var gateway = connect(words[0], Integer.parseInt(words[1]))) {
      var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line; (line = lines.readLine()) != null; ) {
        var parts = line.split(" ", 5);
        switch (parts[0]) {
          case "ask" -> {
            var params = new JsonObject();
            params.addProperty("ms", Integer.parseInt(parts[3]));
            params.addProperty("q", parts[4]);
            var task = new JsonObject();
            task.addProperty("key", parts[2]);
            calls.put(parts[1], gateway.call("sleep", params, task));
          }
          case "call" -> calls.put(parts[1], gateway.call(parts[2], null, null));
          case "cancel" -> calls.get(parts[1]).cancel(false);
          default -> out.println(parts[1] + " " + outcome(calls.get(parts[1])));
        }
      }
    }
  }
}
