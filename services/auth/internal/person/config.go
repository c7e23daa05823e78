package person

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Config says where the platform tells who a token belongs to: paths below the
// platform's base URL, and the fields of their answers as dotted paths.
type Config struct {
	UserPath    string `help:"path that answers the token's person"`
	CompanyPath string `help:"path that answers the token's company"`

	PersonID  string `help:"field of the person's id, a whole number"`
	Email     string `help:"field of the person's e-mail address"`
	FirstName string `help:"field of the person's first name"`
	LastName  string `help:"field of the person's last name"`
	Admin     string `help:"field that is true for system admins; may be missing in the answer"`
	ReadOnly  string `help:"field that is true for who may only read; may be missing in the answer"`

	CompanyID   string `help:"field of the company's id, a whole number"`
	CompanyName string `help:"field of the company's name"`

	// Admins are system admins whatever the platform's field says. Ids only: a
	// person can change their own e-mail address.
	Admins []int64 `help:"ids of further persons who are system admins"`

	Timeout time.Duration `help:"how long one check of a token may take"`
}

// Defaults are the platform's own paths and fields: contract §3.
func Defaults() Config {
	return Config{
		UserPath:    "/identity/user",
		CompanyPath: "/account/account",
		PersonID:    "data.id",
		Email:       "data.email",
		FirstName:   "data.first_name",
		LastName:    "data.last_name",
		Admin:       "data.is_admin",
		ReadOnly:    "data.is_read_only",
		CompanyID:   "data.id",
		CompanyName: "data.name",
		Timeout:     2 * time.Second, // hosts wait 3 s in all for auth
	}
}

// Validate lists all faults.
func (c Config) Validate() error {
	var faults []error
	for _, path := range []struct{ key, value string }{{"user-path", c.UserPath}, {"company-path", c.CompanyPath}} {
		if u, err := url.Parse(path.value); err != nil || !strings.HasPrefix(path.value, "/") || u.Host != "" {
			faults = append(faults, fmt.Errorf("%s: must be a path that begins with a slash", path.key))
		}
	}
	for _, field := range []struct{ key, value string }{{"person-id", c.PersonID}, {"company-id", c.CompanyID}} {
		if field.value == "" {
			faults = append(faults, fmt.Errorf("%s: name the field", field.key))
		}
	}
	if c.Timeout <= 0 {
		faults = append(faults, errors.New("timeout: must be more than 0"))
	}
	return errors.Join(faults...)
}
