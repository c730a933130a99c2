/** Message-ID of a mail; the same for every attempt. */
export function toMessageId(mailId: string, from: string): string {
  return `<${mailId}@${from.slice(from.lastIndexOf('@') + 1)}>`
}

/** Mail id in a Message-ID of ours; null for any other. */
export function toMailId(messageId: string | undefined): string | null {
  return /^<([0-9a-f-]{36})@/.exec(messageId ?? '')?.[1] ?? null
}
