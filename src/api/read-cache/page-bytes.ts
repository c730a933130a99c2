const COMMA = ','.charCodeAt(0)

/** Concatenates `head`, the documents separated by commas, and `tail`. */
export function toPageBytes(head: string, documents: readonly Uint8Array[], tail: string): Buffer {
  const start = Buffer.from(head)
  const end = Buffer.from(tail)
  const commas = Math.max(0, documents.length - 1)
  const page = Buffer.allocUnsafeSlow(documents.reduce((sum, document) => sum + document.length, start.length + commas + end.length))
  page.set(start)
  let at = start.length
  for (const [index, document] of documents.entries()) {
    if (index > 0) page[at++] = COMMA
    page.set(document, at)
    at += document.length
  }
  page.set(end, at)
  return page
}
