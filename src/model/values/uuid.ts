const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is an id as we write them, so that the database may be asked for it. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
