// sdks SCHEMA OUT generates the SDKs for Node.js, Python and Go from a schema with Pulumi's own generators, each into a
// folder of OUT. It replaces `pulumi package gen-sdk` when the language hosts that this command needs are missing.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "the Pulumi SDK generator"

// generators returns the files of one SDK. main binds the schema for each language, because generators modify it.
var generators = map[string]func(*schema.Package) (map[string][]byte, error){
	"nodejs": func(pkg *schema.Package) (map[string][]byte, error) {
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	},
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage(tool, pkg, nil, nil)
	},
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return gogen.GeneratePackage(tool, pkg, nil)
	},
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: sdks SCHEMA OUT"))
	}
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	for language, generate := range generators {
		var spec schema.PackageSpec
		fail(json.Unmarshal(text, &spec))
		pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
		fail(err)
		if diagnostics.HasErrors() {
			fail(diagnostics)
		}
		files, err := generate(pkg)
		fail(err)
		for name, content := range files {
			path := filepath.Join(os.Args[2], language, name)
			fail(os.MkdirAll(filepath.Dir(path), 0o755))
			fail(os.WriteFile(path, content, 0o644))
		}
		fmt.Printf("%s: %d files\n", language, len(files))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
