// Reads a compose file or Kubernetes manifests with the modules that docker compose and Kubernetes have of their own:
//
//	schemas compose FILE
//	schemas kubernetes FILE
//
// It prints what is wrong and exits with 1, or prints the names of what it read.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	readers := map[string]func(string) ([]string, error){"compose": compose, "kubernetes": kubernetes}
	names, err := readers[os.Args[1]](os.Args[2])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, name := range names {
		fmt.Println(name)
	}
}

// compose loads the file as `docker compose config` does: by its schema, with variables of the environment.
func compose(file string) ([]string, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv)
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.ServiceNames(), nil
}

// kubernetes decodes each document strictly, as a server does that validates fields.
func kubernetes(file string) ([]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(appsv1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
	defer documents.Close()
	var names []string
	buffer := make([]byte, len(content)+1)
	for {
		length, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		_, kind, err := serializer.Decode(buffer[:length], nil, nil)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(names)+1, err)
		}
		names = append(names, kind.Kind)
	}
}
