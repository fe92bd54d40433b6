// A JSON-RPC upstream handler that honours cancellation. Standard library only.
//
//	go run upstream.go [-port PORT] [-unix PATH]
//
// It prints the address it listens on. What it answers, and when, is said in examples/upstreams/README.md. To make it
// your own, replace the methods.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	lineLimitBytes = 1 << 20
	openLimit      = 1000            // Requests of one connection that are worked on at once.
	grace          = 5 * time.Second // What is open at the end has this long; then it is cancelled.
	flush          = time.Second
	acceptPause    = 100 * time.Millisecond
	sleepLimitMS   = 3_600_000
	primesLimit    = 100_000_000
	pieceNumbers   = 100 // How many are looked at in one go: not more than a few milliseconds.

	parseError, invalidRequest, methodNotFound, invalidParams, internalError = -32700, -32600, -32601, -32602, -32603
	cancelled, refused                                                       = -32800, -32000
)

// failure is what a request is answered with instead of a result.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

var counts struct{ started, finished, cancelled, pieces atomic.Int64 }

// methods are what is done for requests. The context says when it is not wanted any more; then they return its error.
var methods = map[string]func(context.Context, json.RawMessage) (any, error){
	"echo":    echo,
	"sleep":   sleep,
	"primes":  primes,
	"fail":    fail,
	"crash":   crash,
	"abandon": abandon,
	"stats":   stats,
}

func echo(_ context.Context, params json.RawMessage) (any, error) {
	return params, nil
}

func sleep(ctx context.Context, params json.RawMessage) (any, error) {
	milliseconds, err := wholeNumber(params, "ms", sleepLimitMS)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return params, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// primes counts them the long way, piece by piece.
func primes(ctx context.Context, params json.RawMessage) (any, error) {
	below, err := wholeNumber(params, "below", primesLimit)
	count := 0
	for first := 0; err == nil && first < below; first += pieceNumbers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for number := first; number < first+pieceNumbers && number < below; number++ {
			if isPrime(number) {
				count++
			}
		}
		counts.pieces.Add(1)
	}
	return map[string]int{"primes": count}, err
}

func isPrime(number int) bool {
	for divisor := 2; divisor*divisor <= number; divisor++ {
		if number%divisor == 0 {
			return false
		}
	}
	return number > 1
}

func fail(_ context.Context, params json.RawMessage) (any, error) {
	var wanted map[string]json.RawMessage
	var f failure
	if json.Unmarshal(params, &wanted) != nil || !holds(wanted["code"], &f.Code) || !holds(wanted["message"], &f.Message) {
		return nil, &failure{invalidParams, `"code" has to be a whole number and "message" a text`}
	}
	return nil, &f
}

func crash(context.Context, json.RawMessage) (any, error) {
	panic("a mistake that nobody thought of")
}

func abandon(ctx context.Context, _ json.RawMessage) (any, error) {
	part, cancel := context.WithCancel(ctx)
	cancel()
	return nil, part.Err()
}

func stats(context.Context, json.RawMessage) (any, error) {
	// What has ended was started before.
	finished, cancelled := counts.finished.Load(), counts.cancelled.Load()
	started := counts.started.Load()
	return map[string]int64{"started": started, "finished": finished, "cancelled": cancelled,
		"open": started - finished - cancelled, "pieces": counts.pieces.Load()}, nil
}

func wholeNumber(params json.RawMessage, name string, most int) (number int, err error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || !holds(members[name], &number) || number < 0 || number > most {
		err = &failure{invalidParams, fmt.Sprintf("%q has to be a whole number from 0 to %d", name, most)}
	}
	return number, err
}

// holds is whether the text is there, is not null and is a value of that type, which then is taken.
func holds(text json.RawMessage, value any) bool {
	return text != nil && string(text) != "null" && json.Unmarshal(text, value) == nil
}

// run does the work, unless it was cancelled before it began; whatever happens there, this program goes on.
func run(ctx context.Context, m *message) (result any, f *failure) {
	defer func() {
		if mistake := recover(); mistake != nil {
			f = asFailure(fmt.Errorf("%v\n%s", mistake, debug.Stack()))
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, asFailure(err)
	}
	result, err := methods[m.method](ctx, m.params)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = fmt.Errorf("a part of it was cancelled, but not by its caller: %v", err)
	}
	return result, asFailure(err)
}

// asFailure gives what to answer to an error, nil where there is none.
func asFailure(err error) *failure {
	var f *failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f) && f.Code != cancelled:
		return f
	case errors.Is(err, context.Canceled):
		return &failure{cancelled, "Request cancelled"}
	}
	log.Print("a request failed: ", err)
	return &failure{internalError, "Internal error"}
}

// message is one line. Its members are looked up in a map, for a struct would take "ID" and "Method" as well.
type message struct {
	id     json.RawMessage // As it was written, which is how it is sent back; nil for a notification.
	method string
	params json.RawMessage
}

// parse gives nothing at all for an answer, which nobody asked for here.
func parse(line []byte) (m *message, id json.RawMessage, f *failure) {
	var members map[string]json.RawMessage
	if !utf8.Valid(line) || !json.Valid(line) {
		return nil, nil, &failure{parseError, "Parse error"}
	}
	if json.Unmarshal(line, &members) != nil || members == nil {
		return nil, nil, &failure{invalidRequest, "A message is one object"}
	}
	if members["method"] == nil && (members["result"] != nil || members["error"] != nil) {
		return nil, nil, nil
	}
	id = members["id"]
	if id != nil && bytes.ContainsAny(id[:1], "[{tf") {
		return nil, nil, &failure{invalidRequest, "An id is a text or a number"}
	}
	var version string
	m = &message{id: id, params: members["params"]}
	if !holds(members["jsonrpc"], &version) || version != "2.0" || !holds(members["method"], &m.method) {
		return nil, id, &failure{invalidRequest, `A request has "jsonrpc":"2.0" and a method`}
	}
	if m.params != nil && !bytes.ContainsAny(m.params[:1], "[{n") {
		return nil, id, &failure{invalidRequest, "Params are an object or an array"}
	}
	return m, id, nil
}

// server is what all connections share.
type server struct {
	mutex       sync.Mutex
	connections map[*connection]struct{}
	stopping    bool
	working     sync.WaitGroup
}

// connection has what is open on it: what cancels each request, by its id as it was written.
type connection struct {
	server  *server
	stream  net.Conn
	ctx     context.Context
	writing sync.Mutex
	mutex   sync.Mutex
	open    map[string]context.CancelFunc
	unnamed int
}

func (s *server) serve(ctx context.Context, stream net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	c := &connection{server: s, stream: stream, ctx: ctx, open: map[string]context.CancelFunc{}}
	s.mutex.Lock()
	s.connections[c] = struct{}{}
	s.mutex.Unlock()
	c.listen()
	stream.Close()
	cancel()
	s.mutex.Lock()
	delete(s.connections, c)
	s.mutex.Unlock()
}

// listen ends with the connection, or at a line that is too long.
func (c *connection) listen() {
	lines := bufio.NewReaderSize(c.stream, lineLimitBytes+1)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		c.awaitWritten()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.hear(line)
		}
	}
}

// awaitWritten is for who does not read answers, and is not listened to: the answers would pile up here.
func (c *connection) awaitWritten() {
	c.writing.Lock()
	defer c.writing.Unlock()
}

func (c *connection) hear(line []byte) {
	m, id, f := parse(line)
	switch {
	case f != nil:
		c.answer(id, nil, f)
	case m == nil:
	case m.id == nil && m.method == "$/cancelRequest":
		c.cancel(m.params)
	default:
		// Nobody hears of a notification that is refused.
		if f := c.begin(m); f != nil && m.id != nil {
			c.answer(m.id, nil, f)
		}
	}
}

func (c *connection) cancel(params json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if cancel := c.open[string(members["id"])]; cancel != nil {
		cancel()
	}
}

func (c *connection) begin(m *message) *failure {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := string(m.id)
	if m.id == nil {
		c.unnamed++
		key = fmt.Sprint("notification ", c.unnamed)
	}
	switch {
	case methods[m.method] == nil:
		return &failure{methodNotFound, "Method not found"}
	case c.open[key] != nil:
		return &failure{invalidRequest, "A request with this id is open"}
	case len(c.open) >= openLimit:
		return &failure{refused, "Too many open requests"}
	case !c.server.beginsWork():
		return &failure{refused, "Shutting down"}
	}
	counts.started.Add(1)
	ctx, cancel := context.WithCancel(c.ctx)
	c.open[key] = cancel
	go func() {
		defer c.server.working.Done()
		defer cancel()
		result, f := run(ctx, m)
		c.end(key, f)
		if m.id != nil {
			c.answer(m.id, result, f)
		}
	}()
	return nil
}

func (c *connection) end(key string, f *failure) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.open, key)
	if f != nil && f.Code == cancelled {
		counts.cancelled.Add(1)
	} else {
		counts.finished.Add(1)
	}
}

// answer waits while the other end does not read.
func (c *connection) answer(id json.RawMessage, result any, f *failure) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if f == nil {
		f = asFailure(encoder.Encode(struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  any             `json:"result"`
		}{"2.0", id, result}))
	}
	if f != nil {
		text.Reset()
		_ = encoder.Encode(struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *failure        `json:"error"`
		}{"2.0", id, f})
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	// An error here is one of reading, too, and is heard there.
	_, _ = c.stream.Write(text.Bytes())
}

// beginsWork is whether something new may begin, which then is waited for at the end.
func (s *server) beginsWork() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.stopping {
		s.working.Add(1)
	}
	return !s.stopping
}

func (s *server) accept(ctx context.Context, listener net.Listener) {
	for {
		stream, err := listener.Accept()
		switch {
		case err == nil:
			go s.serve(ctx, stream)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			log.Print("no connection was made: ", err)
			time.Sleep(acceptPause)
		}
	}
}

// finish takes nothing new, lets what is open end, cancels what takes too long, and says goodbye.
func (s *server) finish(listener net.Listener, cancelAll context.CancelFunc) {
	s.mutex.Lock()
	s.stopping = true
	s.mutex.Unlock()
	listener.Close()
	ended := make(chan struct{})
	go func() {
		s.working.Wait()
		close(ended)
	}()
	for _, patience := range []time.Duration{grace, flush} {
		select {
		case <-ended:
		case <-time.After(patience):
			cancelAll()
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for c := range s.connections {
		c.stream.Close()
	}
}

// socketFile is a listener that at its end removes its path, unless another has put its own there by now.
type socketFile struct {
	*net.UnixListener
	path string
	own  os.FileInfo
}

func (s socketFile) Close() error {
	if found, err := os.Lstat(s.path); err == nil && os.SameFile(s.own, found) {
		os.Remove(s.path)
	}
	return s.UnixListener.Close()
}

// listen gives the listener, and its address as the gateway's --upstream takes it.
func listen(port uint, path string) (net.Listener, string, error) {
	if path == "" {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return nil, "", err
		}
		return listener, "tcp:" + listener.Addr().String(), nil
	}
	// It takes the place of a socket that was left behind.
	if file, err := os.Lstat(path); err == nil && file.Mode()&os.ModeSocket != 0 {
		os.Remove(path)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, "", err
	}
	listener.SetUnlinkOnClose(false)
	own, err := os.Lstat(path)
	return socketFile{listener, path, own}, "unix:" + path, err
}

func main() {
	port := flag.Uint("port", 0, "port on 127.0.0.1; any free one by default")
	path := flag.String("unix", "", "a Unix socket instead, at this path")
	flag.Parse()

	told, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	listener, address, err := listen(*port, *path)
	if err != nil {
		log.Fatal("error: ", err)
	}
	fmt.Println(address)
	ctx, cancelAll := context.WithCancel(context.Background())
	s := &server{connections: map[*connection]struct{}{}}
	go s.accept(ctx, listener)
	<-told.Done()
	s.finish(listener, cancelAll)
}
