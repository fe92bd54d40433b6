// A typeahead on lastword: the newest query has the last word. Standard library only.
//
//	go run typeahead.go HOST:PORT KEY
//	LASTWORD_TOKEN=… LASTWORD_CA=ca.pem go run typeahead.go tls:HOST:PORT KEY
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"net"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	superseded, shuttingDown, unauthenticated, cancelled = -32080, -32085, -32087, -32800
	firstPause, lastPause                                = 50 * time.Millisecond, 2 * time.Second
	connectTimeout, sendTimeout                          = 5 * time.Second, 5 * time.Second
	lineLimitBytes                                       = 4 << 20
	notAllowedStatus                                     = 77
)

type task struct {
	Key    string `json:"key"`
	Policy string `json:"policy"`
}

type request struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
	Task    *task  `json:"task,omitempty"`
}

// reply is one to a request, or another message, which has no ID that was ever sent.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// failure is nil without an error; what the error lacks is 0, or empty.
func (r *reply) failure() *failure {
	if r.Error == nil || string(r.Error) == "null" {
		return nil
	}
	var f failure
	_ = json.Unmarshal(r.Error, &f)
	return &f
}

// link is one connection: replies come on a channel, which is closed when the connection is lost.
type link struct {
	connection net.Conn
	lines      *bufio.Reader
	replies    chan *reply
}

func (l *link) listen() {
	defer close(l.replies)
	// Behind what is no message nothing is to be trusted.
	for message := l.read(); message != nil; message = l.read() {
		l.replies <- message
	}
}

// read gives the next message, or nil if there will be none.
func (l *link) read() (message *reply) {
	line, err := readLine(l.lines)
	if err != nil || json.Unmarshal(line, &message) != nil {
		return nil
	}
	return message
}

func readLine(lines *bufio.Reader) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull || len(line) > lineLimitBytes {
			return line, err
		}
	}
}

// place is where the gateway is, and what there is to say to it before anything else.
type place struct {
	address string
	tls     *tls.Config // nil without TLS
	token   string
}

// newPlace takes HOST:PORT or tls:HOST:PORT. If no authority is named, those count whom the system trusts.
func newPlace(address string) *place {
	p := &place{address: strings.TrimPrefix(address, "tls:"), token: os.Getenv("LASTWORD_TOKEN")}
	if p.address == address {
		return p
	}
	p.tls = &tls.Config{}
	if ca := os.Getenv("LASTWORD_CA"); ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			log.Fatal(err)
		}
		p.tls.RootCAs = x509.NewCertPool()
		p.tls.RootCAs.AppendCertsFromPEM(pem)
	}
	return p
}

func (p *place) dial() (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectTimeout}
	if p.tls == nil {
		return dialer.Dial("tcp", p.address)
	}
	connection, err := tls.DialWithDialer(dialer, "tcp", p.address, p.tls)
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	if errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) {
		refused("certificate: " + err.Error())
	}
	return connection, err
}

var saying sync.Mutex

func say(words ...any) {
	saying.Lock()
	defer saying.Unlock()
	fmt.Println(words...)
}

// refused is for whoever answers is not to be trusted, or does not know who this is: trying again is of no use. It is the
// last that is said.
func refused(why string) {
	saying.Lock()
	fmt.Println("refused", why)
	os.Exit(notAllowedStatus)
}

// greet says who this is; nothing else is said before that is answered.
func (l *link) greet(token string) bool {
	line, _ := json.Marshal(request{"2.0", 0, "lastword.authenticate", map[string]string{"token": token}, nil})
	_ = l.connection.SetDeadline(time.Now().Add(connectTimeout))
	_, _ = l.connection.Write(append(line, '\n'))
	message := l.read()
	if message == nil {
		return false
	}
	f := message.failure()
	if f != nil && f.Code == unauthenticated {
		refused(fmt.Sprint(f.Code, " ", f.Message))
	}
	return f == nil && l.connection.SetDeadline(time.Time{}) == nil
}

// connect tries until it succeeds; each pause is twice the one before.
func (p *place) connect(pause time.Duration, connected chan<- *link) {
	for ; ; pause = longer(pause) {
		time.Sleep(pause/2 + time.Duration(rand.Int63n(int64(pause/2)+1)))
		connection, err := p.dial()
		if err != nil {
			continue
		}
		l := &link{connection, bufio.NewReaderSize(connection, 1<<16), make(chan *reply, 16)}
		if p.token == "" || l.greet(p.token) {
			go l.listen()
			connected <- l
			return
		}
		connection.Close()
	}
}

func longer(pause time.Duration) time.Duration {
	switch {
	case pause < firstPause:
		return firstPause
	case 2*pause < lastPause:
		return 2 * pause
	}
	return lastPause
}

// box is the search box: what it shows is the answer to what stands in it. One goroutine has it.
type box struct {
	key    string
	link   *link // nil without a connection
	query  string
	open   bool // the newest request is not answered yet
	id     int  // its ID on this link, 0 if it was not sent
	lastID int
}

func (b *box) send(message request) {
	message.Version = "2.0"
	line, _ := json.Marshal(message)
	// This goroutine has the box: it waits no longer than that for somebody who does not read.
	_ = b.link.connection.SetWriteDeadline(time.Now().Add(sendTimeout))
	if _, err := b.link.connection.Write(append(line, '\n')); err != nil {
		// Half a line is worse than none. Who listens hears that it is over.
		b.link.connection.Close()
	}
}

func (b *box) ask() {
	b.id = 0
	if b.open && b.link != nil {
		b.lastID++
		b.id = b.lastID
		params := map[string]any{"ms": 1000 - 50*utf8.RuneCountInString(b.query), "q": b.query}
		b.send(request{ID: b.id, Method: "sleep", Params: params, Task: &task{b.key, "cancel"}})
	}
}

// The older request is left alone: the gateway supersedes it.
func (b *box) typed(text string) {
	if !b.open {
		say("spinner on")
	}
	b.query, b.open = text, true
	b.ask()
}

func (b *box) clear() {
	if !b.open {
		return
	}
	if b.id != 0 {
		b.send(request{Method: "$/cancelRequest", Params: map[string]any{"id": b.id}})
	}
	b.settle()
}

func (b *box) settle() {
	b.open, b.id = false, 0
	say("spinner off")
}

func (b *box) hear(message *reply) {
	f := message.failure()
	if f != nil && f.Code == shuttingDown {
		b.link.connection.Close()
		b.id = 0
	}
	if b.id == 0 || string(message.ID) != fmt.Sprint(b.id) {
		return
	}
	b.settle()
	var result struct {
		Query string `json:"q"`
	}
	switch {
	case f == nil:
		// Another result than expected shows as an empty one.
		_ = json.Unmarshal(message.Result, &result)
		say("shown", result.Query)
	case f.Code != superseded && f.Code != cancelled:
		say("failed", f.Code, f.Message)
	}
}

func readCommands(commands chan<- string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		commands <- lines.Text()
	}
	close(commands)
}

func main() {
	rand.Seed(time.Now().UnixNano())
	gateway, b := newPlace(os.Args[1]), &box{key: os.Args[2]}
	commands, connected := make(chan string), make(chan *link)
	pause, waiting := time.Duration(0), false
	go readCommands(commands)
	go gateway.connect(pause, connected)
	for {
		if waiting && !b.open {
			say("idle")
			waiting = false
		}
		// Nothing comes from a nil channel.
		next, replies := commands, (chan *reply)(nil)
		if waiting {
			next = nil
		}
		if b.link != nil {
			replies = b.link.replies
		}
		select {
		case b.link = <-connected:
			say("online")
			b.ask()
		case message, more := <-replies:
			if more {
				pause = 0
				b.hear(message)
				continue
			}
			say("offline")
			b.link.connection.Close()
			b.link, b.id = nil, 0
			pause = longer(pause)
			go gateway.connect(pause, connected)
		case line, more := <-next:
			command, text, _ := strings.Cut(line, " ")
			switch {
			case !more || command == "quit":
				b.clear()
				return
			case command == "type":
				b.typed(text)
			case command == "clear":
				b.clear()
			case command == "wait":
				waiting = true
			}
		}
	}
}
