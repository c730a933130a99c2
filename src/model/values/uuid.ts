const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is a UUID in our notation, so that it can be used in a query. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
