/// The size of the pooled blocks that output queues are made of.
package let outputBlockBytes = 16 * 1024
