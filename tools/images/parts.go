package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

const undetermined = "NOASSERTION"

// describe lists the modules that a binary was built of, as SPDX 2.3.
func describe(path, binary, version string, made time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	itself := part(info.Path, version)
	itself.PrimaryPackagePurpose = "APPLICATION"
	itself.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: hex.EncodeToString(sum[:])}}
	document := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      binary + "-" + version,
		DocumentNamespace: "https://github.com/comporta-mcp/comporta/sbom/" + binary + "-" + hex.EncodeToString(sum[:16]),
		CreationInfo: &spdx.CreationInfo{
			Created:  made.Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "comporta-images"}},
		},
		Packages: []*spdx.Package{itself},
	}
	document.Relationships = append(document.Relationships, relation("DOCUMENT", common.TypeRelationshipDescribe, itself))
	add := func(module, version string) {
		p := part(module, version)
		document.Packages = append(document.Packages, p)
		document.Relationships = append(document.Relationships, relation(itself.PackageSPDXIdentifier, common.TypeRelationshipDependsOn, p))
	}
	add("std", strings.TrimPrefix(info.GoVersion, "go"))
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		add(module.Path, module.Version)
	}
	var out bytes.Buffer
	err = spdxjson.Write(document, &out, spdxjson.Indent(" "))
	return out.Bytes(), err
}

// part is a Go module, or the program itself.
func part(module, version string) *spdx.Package {
	return &spdx.Package{
		PackageName: module, PackageVersion: version, PackageSPDXIdentifier: identifier(module, version),
		PackageDownloadLocation: undetermined, PackageLicenseConcluded: undetermined, PackageLicenseDeclared: undetermined,
		PackageCopyrightText: undetermined,
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
			Locator: fmt.Sprintf("pkg:golang/%s@%s", module, version),
		}},
	}
}

// identifier keeps to the letters that SPDX allows.
func identifier(module, version string) common.ElementID {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '-'
	}, module+"-"+version)
	return common.ElementID("Package-" + clean)
}

func relation(from common.ElementID, kind string, to *spdx.Package) *spdx.Relationship {
	return &spdx.Relationship{
		RefA: common.MakeDocElementID("", string(from)), RefB: common.MakeDocElementID("", string(to.PackageSPDXIdentifier)), Relationship: kind,
	}
}
