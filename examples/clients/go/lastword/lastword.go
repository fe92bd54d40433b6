// Package lastword is a minimal client of lastword, to be copied. Go 1.19 and newer alone; any goroutine may call.
//
//	gateway, err := lastword.Connect("127.0.0.1:5278")
//	task := lastword.Task{"key": "search:tab-1", "policy": "cancel"}
//	err = gateway.Call(ctx, "search", map[string]any{"q": "swift"}, task, &result)
//
// Under TLS, and to a gateway that asks who comes:
//
//	gateway, err := lastword.ConnectTLS("gateway.example:5280", "ca.pem")
//	err = gateway.Authenticate(ctx, os.Getenv("LASTWORD_TOKEN"))
package lastword

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
)

// ErrLost is what fails when the connection ends.
var ErrLost = errors.New("the connection to lastword has ended")

// Task says what a request competes for, and how: see proto/spec.md.
type Task map[string]any

// RPCError is what came instead of a result.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *RPCError) Error() string { return fmt.Sprint(e.Code, " ", e.Message) }

// IsUnwanted is true for what was superseded or cancelled: nothing to show to anybody.
func (e *RPCError) IsUnwanted() bool { return e.Code == -32080 || e.Code == -32800 }

// MayHaveRun is true if the gateway says that upstream got the request, and may have done the work.
func (e *RPCError) MayHaveRun() bool {
	var data struct{ Upstream string }
	_ = json.Unmarshal(e.Data, &data)
	return data.Upstream == "cancelSent" || data.Upstream == "mayHaveCompleted"
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Task    Task            `json:"task,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *RPCError       `json:"error,omitempty"`
}

// Gateway is one connection, which does not come back.
type Gateway struct {
	connection net.Conn
	// While one goroutine writes, another has to read: these are not one.
	writing, lock sync.Mutex
	open          map[int]chan *message // nil when the connection has ended
	lastID        int
}

// Connect gives a connection to HOST:PORT.
func Connect(address string) (*Gateway, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return over(connection), nil
}

// ConnectTLS gives a connection to HOST:PORT under TLS. The certificate has to be for that host, and from an authority
// in the PEM file ca, or, if that is empty, from one that the system trusts.
func ConnectTLS(address, ca string) (*Gateway, error) {
	config := &tls.Config{}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", ca)
		}
	}
	connection, err := tls.Dial("tcp", address, config)
	if err != nil {
		return nil, err
	}
	return over(connection), nil
}

func over(connection net.Conn) *Gateway {
	g := &Gateway{connection: connection, open: map[int]chan *message{}}
	go g.listen()
	return g
}

// Authenticate says who this is, before anything else. It fails with an *RPCError if the gateway does not know the token.
func (g *Gateway) Authenticate(ctx context.Context, token string) error {
	return g.Call(ctx, "lastword.authenticate", map[string]string{"token": token}, nil, nil)
}

// Close ends the connection; what is open fails.
func (g *Gateway) Close() error { return g.connection.Close() }

// Call puts the result into what result points to, unless that is nil. It fails with an *RPCError, with ErrLost, or
// when the context ends, which cancels upstream's work, too. Params and task may be nil.
func (g *Gateway) Call(ctx context.Context, method string, params any, task Task, result any) error {
	answer := make(chan *message, 1)
	id, err := g.register(answer)
	if err != nil {
		return err
	}
	if err := g.send(message{ID: id, Method: method, Params: params, Task: task}); err != nil {
		g.take(id)
		return err
	}
	select {
	case <-ctx.Done():
		if g.take(id) != nil {
			_ = g.send(message{Method: "$/cancelRequest", Params: map[string]int{"id": id}})
		}
		return ctx.Err()
	case reply, more := <-answer:
		switch {
		case !more:
			return ErrLost
		case reply.Error != nil:
			return reply.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(reply.Result, result)
	}
}

func (g *Gateway) register(answer chan *message) (int, error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.open == nil {
		return 0, ErrLost
	}
	g.lastID++
	g.open[g.lastID] = answer
	return g.lastID, nil
}

// Whoever listens hears that the connection is gone, and tells those who wait.
func (g *Gateway) send(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err == nil {
		g.writing.Lock()
		defer g.writing.Unlock()
		_, _ = g.connection.Write(append(line, '\n'))
	}
	return err
}

func (g *Gateway) take(id int) chan *message {
	g.lock.Lock()
	defer g.lock.Unlock()
	answer := g.open[id]
	delete(g.open, id)
	return answer
}

func (g *Gateway) listen() {
	messages := json.NewDecoder(g.connection)
	for {
		reply := new(message)
		// Behind what is no message nothing is to be trusted.
		if messages.Decode(reply) != nil {
			break
		}
		if answer := g.take(reply.ID); answer != nil {
			answer <- reply
		}
	}
	g.connection.Close()
	g.lock.Lock()
	defer g.lock.Unlock()
	for _, answer := range g.open {
		close(answer)
	}
	g.open = nil
}
