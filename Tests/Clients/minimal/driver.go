// Drives examples/clients/go/lastword as Tests/Clients/minimal.py says.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"driver/lastword"
)

type call struct {
	cancel  context.CancelFunc
	outcome chan string
}

func start(gateway *lastword.Gateway, method string, params any, task lastword.Task) call {
	ctx, cancel := context.WithCancel(context.Background())
	c := call{cancel, make(chan string, 1)}
	go func() {
		var found struct{ Q string }
		err := gateway.Call(ctx, method, params, task, &found)
		var rpcError *lastword.RPCError
		switch {
		case err == nil:
			c.outcome <- "result " + found.Q
		case errors.As(err, &rpcError):
			text := fmt.Sprint("error ", rpcError.Code)
			if rpcError.IsUnwanted() {
				text += " unwanted"
			}
			if rpcError.MayHaveRun() {
				text += " may-have-run"
			}
			c.outcome <- text
		case errors.Is(err, lastword.ErrLost):
			c.outcome <- "lost"
		default:
			c.outcome <- err.Error()
		}
	}()
	return c
}

func connect(address string) (gateway *lastword.Gateway, err error) {
	if ca := os.Getenv("LASTWORD_CA"); ca != "" {
		gateway, err = lastword.ConnectTLS(address, ca)
	} else {
		gateway, err = lastword.Connect(address)
	}
	if token := os.Getenv("LASTWORD_TOKEN"); err == nil && token != "" {
		err = gateway.Authenticate(context.Background(), token)
	}
	return gateway, err
}

func main() {
	gateway, err := connect(os.Args[1] + ":" + os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	calls := map[string]call{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 5)
		switch words[0] {
		case "ask":
			ms, _ := strconv.Atoi(words[3])
			params := map[string]any{"ms": ms, "q": words[4]}
			calls[words[1]] = start(gateway, "sleep", params, lastword.Task{"key": words[2]})
		case "call":
			calls[words[1]] = start(gateway, words[2], nil, nil)
		case "cancel":
			calls[words[1]].cancel()
		case "wait":
			fmt.Println(words[1], <-calls[words[1]].outcome)
		}
	}
	gateway.Close()
}
