package main

import (
	"context"
)

// ToolBuilder is the definition of a tool.
type ToolBuilder struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Keywords    []string       `json:"keywords,omitempty"`
	InputSchema map[string]any `json:"inputSchema"`
}

// Parameter adds a parameter to a tool.
type Parameter func(properties map[string]any, required *[]string)

// Option changes a parameter.
type Option func(schema map[string]any, required *bool)

// NewTool defines a tool with these parameters.
func NewTool(name, description string, parameters ...Parameter) *ToolBuilder {
	properties, required := map[string]any{}, []string{}
	for _, parameter := range parameters {
		parameter(properties, &required)
	}
	schema := map[string]any{"type": "object", "properties": properties, "required": required}
	return &ToolBuilder{Name: name, Description: description, InputSchema: schema}
}

// String is a parameter of type string.
func String(name, description string, options ...Option) Parameter {
	return func(properties map[string]any, required *[]string) {
		schema, isRequired := map[string]any{"type": "string", "description": description}, false
		for _, option := range options {
			option(schema, &isRequired)
		}
		properties[name] = schema
		if isRequired {
			*required = append(*required, name)
		}
	}
}

// Required marks a parameter that every call must have.
func Required() Option {
	return func(_ map[string]any, required *bool) { *required = true }
}

// ToolRequest is a call, as toolscout sends it.
type ToolRequest struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Context   map[string]any `json:"context"`
}

// String returns an argument. toolscout has checked the arguments against the schema.
func (r *ToolRequest) String(name string) string {
	text, _ := r.Arguments[name].(string)
	return text
}

// ToolResponse is the result of a call, in the shape of MCP.
type ToolResponse struct {
	Content           []map[string]string `json:"content"`
	StructuredContent any                 `json:"structuredContent,omitempty"`
	IsError           bool                `json:"isError,omitempty"`
}

// NewToolResponseText is a result of one text.
func NewToolResponseText(text string) *ToolResponse {
	return &ToolResponse{Content: []map[string]string{{"type": "text", "text": text}}}
}

// NewToolResponseStructured is a result of JSON.
func NewToolResponseStructured(value any) *ToolResponse {
	return &ToolResponse{Content: []map[string]string{}, StructuredContent: value}
}

// Handler runs a tool. An error is a failed call, with its text as the message.
type Handler func(ctx context.Context, req *ToolRequest) (*ToolResponse, error)
