package catalog

import "testing"

func TestTheOtherConfirmationIsToldFromAnUnknownArgument(t *testing.T) {
	for name, c := range map[string]struct {
		confirm Confirm
		sent    string
		want    string // the fault; "" for none
	}{
		"a yes where the name is wanted":   {ConfirmName, ArgConfirmed, "is not how this tool is confirmed: send confirmacion with the exact name of the resource"},
		"the name where a yes is wanted":   {ConfirmTrue, ArgConfirmation, "is not how this tool is confirmed: send confirmado: true"},
		"a yes where none is wanted":       {NoConfirm, ArgConfirmed, ""}, // Check calls it unknown
		"the name where the name is asked": {ConfirmName, ArgConfirmation, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var value any = "shop"
			if c.sent == ArgConfirmed {
				value = true
			}
			_, _, faults := SplitCommon(&Tool{Effect: Destructive, Confirm: c.confirm}, map[string]any{c.sent: value})
			got := ""
			if len(faults) > 0 {
				got = faults[0].Message
			}
			if got != c.want {
				t.Errorf("fault %q, want %q", got, c.want)
			}
		})
	}
}
