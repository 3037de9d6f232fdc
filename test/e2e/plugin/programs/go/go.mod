module languages

go 1.25

require (
	github.com/pulumi-dag/pulumi-dag/sdk/go v0.0.0
	github.com/pulumi/pulumi/sdk/v3 v3.259.0
)

replace github.com/pulumi-dag/pulumi-dag/sdk/go => ./sdk
