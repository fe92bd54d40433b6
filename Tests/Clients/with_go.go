// A client with Go's net/rpc/jsonrpc, which speaks JSON-RPC 1.0 and is refused.
//
//	go run with_go.go HOST:PORT
package main

import (
	"fmt"
	"log"
	"net/rpc/jsonrpc"
	"os"
)

func main() {
	client, err := jsonrpc.Dial("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var reply []string
	fmt.Println(client.Call("echo", "a", &reply))
}
