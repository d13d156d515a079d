// A Go program that offers two of its functions as tools, in the style of paularlott/mcp: tools are built and
// registered with keywords, and handlers receive a request. toolscout has the search, so the program has none.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
)

var orders = map[string]string{"A-1": "shipped", "A-2": "waiting for payment"}

func main() {
	url, token := os.Getenv("TOOLSCOUT_URL"), os.Getenv("TOOLSCOUT_TOKEN")
	if url == "" || token == "" {
		log.Fatal("set TOOLSCOUT_URL, such as http://127.0.0.1:7420, and TOOLSCOUT_TOKEN, the operator token")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	registry := NewToolRegistry("orders")
	registry.RegisterTool(
		NewTool("order_status", "Show the status of an order",
			String("order", "The number of the order", Required())),
		func(ctx context.Context, req *ToolRequest) (*ToolResponse, error) {
			order := req.String("order")
			status, ok := orders[order]
			if !ok {
				return nil, fmt.Errorf("there is no order %q", order)
			}
			return NewToolResponseText(order + " is " + status), nil
		},
		"shipping", "delivery", // keywords for search
	)
	registry.RegisterTool(
		NewTool("order_count", "Count the orders"),
		func(ctx context.Context, req *ToolRequest) (*ToolResponse, error) {
			return NewToolResponseStructured(map[string]int{"orders": len(orders)}), nil
		},
	)
	if err := registry.Serve(ctx, url, token); err != nil {
		log.Fatal(err)
	}
}
