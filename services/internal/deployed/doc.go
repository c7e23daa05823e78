// Package deployed holds what deploy/k8s gives the services against what they
// take: each configuration file there is loaded as its service loads it. It has
// tests only. That deploy/k8s is what the chart renders is a test beside the chart.
package deployed
