// A minimal client of lastword, to be copied. Java 17, with Gson; any thread may call.
//
//     var gateway = new Lastword("127.0.0.1", 5278);
//     var task = JsonParser.parseString("{\"key\":\"search:tab-1\",\"policy\":\"cancel\"}");
//     var result = gateway.call("search", JsonParser.parseString("{\"q\":\"swift\"}"), task).get();
//
// Under TLS, and to a gateway that asks who comes:
//
//     var gateway = new Lastword("gateway.example", 5280, Lastword.trusting(Path.of("ca.pem")));
//     gateway.authenticate(System.getenv("LASTWORD_TOKEN")).get();

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

public final class Lastword implements AutoCloseable {
  /** What came instead of a result. */
  public static final class RPCException extends Exception {
    public final int code;
    /** Null if there is none. */
    public final transient JsonElement data;

    RPCException(JsonObject error) {
      super(error.get("message").getAsString());
      code = error.get("code").getAsInt();
      data = error.get("data");
    }

    /** Superseded or cancelled: nothing to show to anybody. */
    public boolean isUnwanted() {
      return code == -32080 || code == -32800;
    }

    /** The gateway says that upstream got the request, and may have done the work. */
    public boolean mayHaveRun() {
      var upstream = data instanceof JsonObject members ? members.get("upstream") : null;
      return upstream instanceof JsonPrimitive text && List.of("cancelSent", "mayHaveCompleted").contains(text.getAsString());
    }
  }

  private final Socket socket;
  private final Map<Long, CompletableFuture<JsonElement>> open = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();
  private volatile boolean isLost;

  public Lastword(String host, int port) throws IOException {
    this(host, port, SocketFactory.getDefault());
  }

  /**
   * With a factory for TLS, such as `trusting` or SSLSocketFactory.getDefault() gives, the certificate has to be for that
   * host; an SSLException says that it is not, or that nobody vouches for it who is trusted.
   */
  public Lastword(String host, int port, SocketFactory factory) throws IOException {
    socket = factory.createSocket(host, port);
    socket.setTcpNoDelay(true);
    if (socket instanceof SSLSocket secure) {
      var parameters = secure.getSSLParameters();
      // It means the host's name, in whatever protocol.
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secure.setSSLParameters(parameters);
      secure.startHandshake();
    }
    var listener = new Thread(this::listen);
    listener.setDaemon(true);
    listener.start();
  }

  /** For TLS with those whom the authorities in a PEM file vouch for. */
  public static SSLSocketFactory trusting(Path ca) throws IOException, GeneralSecurityException {
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (var pem = Files.newInputStream(ca)) {
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

  /** Says who this is, before anything else; the future fails with an RPCException if the gateway does not know the token. */
  public CompletableFuture<JsonElement> authenticate(String token) {
    var params = new JsonObject();
    params.addProperty("token", token);
    return call("lastword.authenticate", params, null);
  }

  /**
   * Asks at once; params and task may be null. The future fails with an RPCException, or with an IOException when the
   * connection ends. Cancelling it cancels upstream's work.
   */
  public CompletableFuture<JsonElement> call(String method, JsonElement params, JsonElement task) {
    var answer = new CompletableFuture<JsonElement>();
    long id = lastId.incrementAndGet();
    open.put(id, answer);
    var message = message(method, params);
    message.addProperty("id", id);
    message.add("task", task);
    send(message);
    answer.whenComplete((result, error) -> {
      if (answer.isCancelled()) cancel(id);
    });
    // Who listens may have ended before this was there to be failed.
    if (isLost) failAll();
    return answer;
  }

  /** What is open fails. */
  @Override
  public void close() throws IOException {
    socket.close();
  }

  private static JsonObject message(String method, JsonElement params) {
    var message = new JsonObject();
    message.addProperty("jsonrpc", "2.0");
    message.addProperty("method", method);
    message.add("params", params);
    return message;
  }

  private void cancel(long id) {
    if (open.remove(id) == null) return;
    var params = new JsonObject();
    params.addProperty("id", id);
    send(message("$/cancelRequest", params));
  }

  private void send(JsonObject message) {
    // Members that are null are left out.
    message.entrySet().removeIf(member -> member.getValue().isJsonNull());
    var line = (message + "\n").getBytes(UTF_8);
    // One message at a time.
    synchronized (socket) {
      try {
        socket.getOutputStream().write(line);
      } catch (IOException lost) {
        // Who listens hears so, too.
      }
    }
  }

  private void listen() {
    try (var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      for (String line; (line = lines.readLine()) != null; ) hear(JsonParser.parseString(line).getAsJsonObject());
    } catch (IOException | RuntimeException failed) {
      // Behind what is no message nothing is to be trusted.
    }
    isLost = true;
    failAll();
  }

  private void failAll() {
    open.values().removeIf(answer -> {
      answer.completeExceptionally(new IOException("the connection to lastword has ended"));
      return true;
    });
  }

  private void hear(JsonObject message) {
    if (!(message.get("id") instanceof JsonPrimitive id && id.isNumber())) return;
    var answer = open.remove(id.getAsLong());
    if (answer == null) return;
    if (message.get("error") instanceof JsonObject error) answer.completeExceptionally(new RPCException(error));
    else answer.complete(message.get("result"));
  }
}
