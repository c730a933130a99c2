import type { Reply } from '../../kit/http/response.ts'

type Fields = Record<string, unknown>

/** Schema drift, as a source may introduce without notice: unknown enum values, shapes and fields. One record is unreadable. */
export function driftReply(reply: Reply): Reply {
  const body: Fields = JSON.parse(reply.body)
  for (const name of ['account', 'transaction']) {
    const rows = body[name]
    if (!Array.isArray(rows) || !rows[0]) continue
    rows.push({ ...rows[0], id: 900_001, accountType: 'HOLOGRAM', accountStatus: 'DREAMT', classification: 'COLLECTIVE', status: 'DREAMT' })
    rows.push({ id: 900_002, CONTAINER: 7, accountId: 'x', amount: '1', balance: 'none', accountName: 42 })
  }
  return { ...reply, body: JSON.stringify({ ...body, generation: 7 }) }
}
