package ops

import (
	"context"
	"io"
	"time"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/pkg/seal"
)

// Rotate is the configuration of the command rotate-keys.
type Rotate struct {
	NATS      bus.Config
	MasterKey identity.Secret `key:"master-key" secret:"true" help:"auth's master key, as auth has it"`
}

// Validate lists all faults.
func (c Rotate) Validate() error {
	_, err := seal.ParseMaster(string(c.MasterKey))
	return err
}

// Run makes the keys and says so on out.
func (c Rotate) Run(ctx context.Context, out io.Writer) error {
	master, err := seal.ParseMaster(string(c.MasterKey))
	if err != nil {
		return err
	}
	b, err := connect(c.NATS)
	if err != nil {
		return err
	}
	defer b.Close()
	kv, err := b.KV(ctx, bus.Keys)
	if err != nil {
		return err
	}
	keys, err := seal.NewOpener(ctx, kv, master, time.Now)
	if err != nil {
		return err
	}
	if err := keys.Rotate(ctx); err != nil {
		return err
	}
	say(out, "new keys are in use within a minute; what the old ones made stays good")
	return nil
}
