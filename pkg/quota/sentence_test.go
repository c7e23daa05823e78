package quota_test

import (
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/pkg/quota"
)

func TestALimitIsSaidToWhoMustKeepIt(t *testing.T) {
	for want, limit := range map[string]quota.Limit{
		"At most 10 calls a minute per company.":                        quota.Defaults()["dns"],
		"At most 10 statements a second per database_id.":               quota.Defaults()["sql"],
		"At most 1 call an hour per common_name and alternative_names.": quota.Defaults()["certificates"],
		"At most 3 calls in any 1m30s per link.":                        {Count: 3, Window: 90 * time.Second, Per: quota.PerLink},
	} {
		if got := limit.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
