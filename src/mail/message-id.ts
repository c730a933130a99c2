/** The same however often a mail is sent. */
export function toMessageId(mailId: string, from: string): string {
  return `<${mailId}@${from.slice(from.lastIndexOf('@') + 1)}>`
}

/** The id of the mail that a Message-ID of ours names; null for any other. */
export function toMailId(messageId: string | undefined): string | null {
  return /^<([0-9a-f-]{36})@/.exec(messageId ?? '')?.[1] ?? null
}
