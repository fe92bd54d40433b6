// A client with github.com/gorilla/websocket: JSON-RPC over a WebSocket, a text for each message.
//
//	go run with_gorilla.go HOST:PORT
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/gorilla/websocket"
)

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// What came of a request: its result, or its error's code.
func (r reply) outcome() string {
	if r.Error != nil {
		return fmt.Sprint(r.Error.Code)
	}
	return string(r.Result)
}

type client struct {
	connection *websocket.Conn
	last       int
}

func (c *client) write(message map[string]any) {
	message["jsonrpc"] = "2.0"
	if err := c.connection.WriteJSON(message); err != nil {
		log.Fatal(err)
	}
}

// Sends a request, and gives its id.
func (c *client) send(method string, params any, task map[string]any) int {
	c.last++
	message := map[string]any{"id": c.last, "method": method, "params": params}
	if task != nil {
		message["task"] = task
	}
	c.write(message)
	return c.last
}

// The next message has to be the reply to this request.
func (c *client) await(id int) reply {
	var got reply
	if err := c.connection.ReadJSON(&got); err != nil {
		log.Fatal(err)
	}
	if got.ID != id {
		log.Fatalf("the reply to %d came, not that to %d", got.ID, id)
	}
	return got
}

func main() {
	dialer := websocket.Dialer{Subprotocols: []string{"lastword.1"}}
	connection, _, err := dialer.Dial("ws://"+os.Args[1]+"/", nil)
	if err != nil {
		log.Fatal(err)
	}
	c := client{connection: connection}
	fmt.Println("subprotocol", connection.Subprotocol())
	fmt.Println("request", c.await(c.send("echo", map[string]string{"text": "é"}, nil)).outcome())
	fmt.Println("error", c.await(c.send("nothing", []int{}, nil)).outcome())

	box := map[string]any{"key": "box", "policy": "cancel"}
	older := c.send("sleep", map[string]int{"ms": 60000}, box)
	newer := c.send("echo", []string{"newest"}, box)
	fmt.Println("superseded", c.await(older).outcome())
	fmt.Println("newest", c.await(newer).outcome())

	slow := c.send("sleep", map[string]int{"ms": 60000}, nil)
	c.write(map[string]any{"method": "$/cancelRequest", "params": map[string]int{"id": slow}})
	fmt.Println("cancelled", c.await(slow).outcome())

	// It comes in several frames, as it is longer than the library's buffer.
	large := c.await(c.send("echo", []string{strings.Repeat("x", 500000)}, nil))
	fmt.Println("large", len(large.Result))

	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := connection.WriteMessage(websocket.CloseMessage, bye); err != nil {
		log.Fatal(err)
	}
	_, _, err = connection.ReadMessage()
	fmt.Println("closed", websocket.IsCloseError(err, websocket.CloseNormalClosure))
}
