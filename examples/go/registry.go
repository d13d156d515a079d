package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	ttl    = time.Minute
	maxAge = 5 * time.Minute
)

// ToolRegistry registers tools with toolscout and answers its calls.
type ToolRegistry struct {
	source   string
	tools    []*ToolBuilder
	handlers map[string]Handler
	secret   string
}

// NewToolRegistry is a registry for the tools of this source. Its random secret signs all calls.
func NewToolRegistry(source string) *ToolRegistry {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // It never fails.
	return &ToolRegistry{source: source, handlers: map[string]Handler{}, secret: hex.EncodeToString(secret)}
}

// RegisterTool adds a tool. Keywords are words for search that its description does not have.
func (r *ToolRegistry) RegisterTool(tool *ToolBuilder, handler Handler, keywords ...string) {
	tool.Keywords = keywords
	r.tools = append(r.tools, tool)
	r.handlers[tool.Name] = handler
}

// Serve listens on a free port of this machine, registers the tools at the toolscout of this URL, and renews the
// registration until the context ends.
func (r *ToolRegistry) Serve(ctx context.Context, url, token string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(r.handle), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	callback := fmt.Sprintf("http://%s/call", listener.Addr())
	if err := r.register(ctx, url, token, callback); err != nil {
		return err
	}
	fmt.Printf("registered %d tools\n", len(r.tools))
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(ttl / 2):
			// After a restart of toolscout this registers the tools again.
			if err := r.register(ctx, url, token, callback); err != nil && ctx.Err() == nil {
				fmt.Println("not registered:", err)
			}
		}
	}
}

func (r *ToolRegistry) register(ctx context.Context, url, token, callback string) error {
	body, err := json.Marshal(map[string]any{
		"source": r.source, "tools": r.tools, "callback": callback, "secret": r.secret, "ttlMs": ttl.Milliseconds(),
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/tools", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct{ Error string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated {
		return errors.New(answer.Error)
	}
	return nil
}

// handle answers one call. The context of the request ends if the caller cancels it.
func (r *ToolRegistry) handle(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 8<<20))
	if err != nil || !r.isSigned(request.Header, body) {
		http.Error(w, "the signature is not valid", http.StatusUnauthorized)
		return
	}
	var call ToolRequest
	if err := json.Unmarshal(body, &call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	handler, ok := r.handlers[call.Tool]
	if !ok {
		http.Error(w, "there is no such tool", http.StatusNotFound)
		return
	}
	result, err := handler(request.Context(), &call)
	if err != nil {
		result = NewToolResponseText(err.Error())
		result.IsError = true
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(result)
}

// isSigned verifies that toolscout sent the call, and that it is not an old one sent again.
func (r *ToolRegistry) isSigned(header http.Header, body []byte) bool {
	timestamp := header.Get("X-Toolscout-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > maxAge {
		return false
	}
	mac := hmac.New(sha256.New, []byte(r.secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(signature), []byte(header.Get("X-Toolscout-Signature")))
}
