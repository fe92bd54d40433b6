// A typeahead on lastword: the newest query has the last word. Gson is all that it needs besides.
//
//     java -cp gson.jar Typeahead.java HOST:PORT KEY
//     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem java -cp gson.jar Typeahead.java tls:HOST:PORT KEY

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

public final class Typeahead {
  static final int SUPERSEDED = -32080, SHUTTING_DOWN = -32085, UNAUTHENTICATED = -32087, CANCELLED = -32800;
  static final int NOT_ALLOWED_STATUS = 77;
  static final int FIRST_PAUSE_MS = 50, LAST_PAUSE_MS = 2000, CONNECT_MS = 5000, LINE_LIMIT_BYTES = 4 << 20;
  static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

  /** The connection went before the answer came. */
  static final class Lost extends Exception {}

  /** An error that the user sees: what it lacks is 0, or empty. */
  static final class Failure extends Exception {
    final int code;

    Failure(JsonElement error) {
      super(text(error, "message"));
      code = error instanceof JsonObject object && object.get("code") instanceof JsonPrimitive found && found.isNumber()
          ? found.getAsInt() : 0;
    }
  }

  /** A member of that name; empty if there is none, or no text. */
  static String text(JsonElement element, String name) {
    return element instanceof JsonObject object && object.get(name) instanceof JsonPrimitive found && found.isString()
        ? found.getAsString() : "";
  }

  /** A connection that comes back, and a future for each request that is open on it; all but listening is the loop's. */
  static final class Gateway {
    private final String host;
    private final int port;
    /** Null without TLS. */
    private final SSLSocketFactory secure;
    private final String token = System.getenv().getOrDefault("LASTWORD_TOKEN", "");
    private final ExecutorService loop;
    private final Runnable online;
    private final Map<Long, CompletableFuture<JsonElement>> open = new HashMap<>();
    private Socket socket;
    private long lastId;
    private volatile int pauseMs = FIRST_PAUSE_MS;

    Gateway(String place, ExecutorService loop, Runnable online) throws IOException, GeneralSecurityException {
      boolean isSecure = place.startsWith("tls:");
      secure = isSecure ? trusting(System.getenv("LASTWORD_CA")) : null;
      var address = isSecure ? place.substring("tls:".length()) : place;
      int colon = address.lastIndexOf(':');
      host = address.substring(0, colon);
      port = Integer.parseInt(address.substring(colon + 1));
      this.loop = loop;
      this.online = online;
    }

    /** For TLS with those whom the authorities in a PEM file vouch for, or, without one, those whom Java trusts. */
    private static SSLSocketFactory trusting(String ca) throws IOException, GeneralSecurityException {
      if (ca == null) return SSLContext.getDefault().getSocketFactory();
      var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      try (var pem = Files.newInputStream(Path.of(ca))) {
        for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
          trusted.setCertificateEntry("ca-" + trusted.size(), certificate);
        }
      }
      var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      var context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context.getSocketFactory();
    }

    boolean isOnline() {
      return socket != null;
    }

    /** Completes on the loop. Cancelling the future cancels the request. */
    CompletableFuture<JsonElement> call(String method, JsonObject params, JsonObject task) {
      long id = ++lastId;
      var answer = new CompletableFuture<JsonElement>();
      open.put(id, answer);
      var message = new JsonObject();
      message.addProperty("id", id);
      message.add("task", task);
      send(message, method, params);
      answer.whenComplete((result, error) -> {
        if (open.remove(id) != null && answer.isCancelled()) {
          var which = new JsonObject();
          which.addProperty("id", id);
          send(new JsonObject(), "$/cancelRequest", which);
        }
      });
      return answer;
    }

    private static void write(Socket socket, JsonObject message, String method, JsonObject params) throws IOException {
      message.addProperty("jsonrpc", "2.0");
      message.addProperty("method", method);
      message.add("params", params);
      socket.getOutputStream().write((message + "\n").getBytes(UTF_8));
    }

    private void send(JsonObject message, String method, JsonObject params) {
      try {
        write(socket, message, method, params);
      } catch (IOException lost) {
        // Who listens hears so, too.
      }
    }

    private void hear(JsonObject message) {
      var error = message.get("error");
      var failure = error == null || error.isJsonNull() ? null : new Failure(error);
      if (failure != null && failure.code == SHUTTING_DOWN) {
        lose();
        return;
      }
      boolean hasId = message.get("id") instanceof JsonPrimitive id && id.isNumber();
      var answer = hasId ? open.remove(message.get("id").getAsLong()) : null;
      if (answer == null) return;
      if (failure == null) answer.complete(message.get("result"));
      else answer.completeExceptionally(failure);
    }

    private void lose() {
      if (socket == null) return;
      try {
        socket.close();
      } catch (IOException closed) {
        // So it is.
      }
      socket = null;
      OUT.println("offline");
      var unanswered = List.copyOf(open.values());
      open.clear();
      unanswered.forEach(answer -> answer.completeExceptionally(new Lost()));
    }

    void stayConnected() {
      while (true) {
        try (var socket = greeted(secured(connected()))) {
          loop.execute(() -> {
            this.socket = socket;
            OUT.println("online");
            online.run();
          });
          listen(new BufferedInputStream(socket.getInputStream()));
        } catch (IOException | JsonParseException | IllegalStateException failed) {
          // Nobody there, or nothing that is to be trusted.
        }
        loop.execute(this::lose);
        try {
          Thread.sleep((long) (pauseMs * ThreadLocalRandom.current().nextDouble(0.5, 1)));
        } catch (InterruptedException ended) {
          return;
        }
        pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
      }
    }

    /** Whoever answers is not to be trusted, or does not know who this is: trying again is of no use. */
    private void refused(String why) {
      CompletableFuture.runAsync(() -> {
        OUT.println("refused " + why);
        Runtime.getRuntime().halt(NOT_ALLOWED_STATUS);
      }, loop).join();
    }

    /** To the first of the host's addresses where somebody answers. */
    private Socket connected() throws IOException {
      IOException last = null;
      for (var address : InetAddress.getAllByName(host)) {
        var socket = new Socket();
        try {
          socket.setTcpNoDelay(true);
          socket.connect(new InetSocketAddress(address, port), CONNECT_MS);
          return socket;
        } catch (IOException failed) {
          socket.close();
          last = failed;
        }
      }
      throw last;
    }

    /** The certificate has to be for that host. */
    private Socket secured(Socket socket) throws IOException {
      if (secure == null) return socket;
      var session = (SSLSocket) secure.createSocket(socket, host, port, true);
      var parameters = session.getSSLParameters();
      // It means the host's name, in whatever protocol.
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      session.setSSLParameters(parameters);
      session.setSoTimeout(CONNECT_MS);
      try {
        session.startHandshake();
      } catch (SSLException failed) {
        session.close();
        if (failed.getCause() instanceof CertificateException wrong) refused("certificate: " + wrong.getMessage());
        throw failed;
      }
      return session;
    }

    /** Says who this is, and nothing else before that is answered. */
    private Socket greeted(Socket socket) throws IOException {
      if (!token.isEmpty()) {
        socket.setSoTimeout(CONNECT_MS);
        var params = new JsonObject();
        params.addProperty("token", token);
        var message = new JsonObject();
        message.addProperty("id", 0);
        write(socket, message, "lastword.authenticate", params);
        var answer = next(socket.getInputStream());
        var error = answer == null ? null : answer.get("error");
        if (answer == null || error != null) {
          socket.close();
          var failure = new Failure(error);
          if (failure.code == UNAUTHENTICATED) refused(failure.code + " " + failure.getMessage());
          throw new IOException("the gateway has no time");
        }
      }
      socket.setSoTimeout(0);
      return socket;
    }

    private void listen(InputStream stream) throws IOException {
      for (JsonObject next; (next = next(stream)) != null; ) {
        var message = next;
        pauseMs = FIRST_PAUSE_MS;
        loop.execute(() -> hear(message));
      }
    }

    /** The next message, or null at the end. */
    private static JsonObject next(InputStream stream) throws IOException {
      var line = new ByteArrayOutputStream();
      for (int next; (next = stream.read()) >= 0 && line.size() < LINE_LIMIT_BYTES; ) {
        if (next == '\n') return JsonParser.parseString(line.toString(UTF_8)).getAsJsonObject();
        line.write(next);
      }
      return null;
    }
  }

  /** The search box: what it shows is the answer to what stands in it. The loop has it. */
  static final class Box {
    Gateway gateway;
    private final JsonObject task = new JsonObject();
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private String query;
    private CompletableFuture<JsonElement> newest;

    Box(String key) {
      task.addProperty("key", key);
      task.addProperty("policy", "cancel");
    }

    /** The older request is left alone: the gateway supersedes it. */
    void type(String text) {
      if (query == null) OUT.println("spinner on");
      query = text;
      ask();
    }

    /** Sends what is open, for the first time or again. */
    void ask() {
      if (query == null || !gateway.isOnline()) return;
      var params = new JsonObject();
      params.addProperty("ms", 1000 - 50 * query.length());
      params.addProperty("q", query);
      var mine = newest = gateway.call("sleep", params, task);
      mine.whenComplete((result, error) -> {
        if (newest == mine && !(error instanceof Lost)) answered(result, error);
      });
    }

    void clear() {
      if (query == null) return;
      var mine = newest;
      newest = null;
      if (mine != null) mine.cancel(false);
      settle();
    }

    private void answered(JsonElement result, Throwable error) {
      settle();
      if (error == null) {
        OUT.println("shown " + text(result, "q"));
      } else if (error instanceof Failure failure && failure.code != SUPERSEDED && failure.code != CANCELLED) {
        OUT.println("failed " + failure.code + " " + failure.getMessage());
      }
      tellWaiting();
    }

    private void settle() {
      query = null;
      newest = null;
      OUT.println("spinner off");
    }

    CompletableFuture<Void> idle() {
      var idle = new CompletableFuture<Void>();
      waiting.add(idle);
      tellWaiting();
      return idle;
    }

    private void tellWaiting() {
      if (query != null) return;
      waiting.forEach(idle -> idle.complete(null));
      waiting.clear();
    }
  }

  public static void main(String[] words) throws Exception {
    ThreadFactory threads = work -> {
      var thread = new Thread(work);
      thread.setDaemon(true);
      return thread;
    };
    var loop = Executors.newSingleThreadExecutor(threads);
    var box = new Box(words[1]);
    box.gateway = new Gateway(words[0], loop, box::ask);
    threads.newThread(box.gateway::stayConnected).start();
    var commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line; (line = commands.readLine()) != null && !line.equals("quit"); ) {
      if (line.startsWith("type ")) {
        var text = line.substring("type ".length());
        loop.execute(() -> box.type(text));
      } else if (line.equals("clear")) {
        loop.execute(box::clear);
      } else if (line.equals("wait")) {
        CompletableFuture.supplyAsync(box::idle, loop).thenCompose(idle -> idle).join();
        OUT.println("idle");
      }
    }
    loop.submit(box::clear).get();
  }
}
