import type { Reply } from '../../kit/http/response.ts'

type Fields = Record<string, unknown>

/** Schema drift, as a source may introduce without notice: unknown enum values, shapes and fields. One record is unreadable. */
export function driftReply(reply: Reply): Reply {
  const body: Fields = JSON.parse(reply.body)
  for (const name of ['accounts', 'transactions']) {
    const rows = body[name]
    if (!Array.isArray(rows) || !rows[0]) continue
    rows.push({
      ...rows[0],
      guid: 'drift-unknown-words',
      type: name === 'accounts' ? 'HOLOGRAM' : rows[0].type,
      subtype: 'VAULT',
      status: 'DREAMT',
    })
    rows.push({ guid: 'drift-wrong-types', account_guid: 5, amount: { value: '1' }, balance: 'none', type: ['CHECKING'], name: 42 })
  }
  return { ...reply, body: JSON.stringify({ ...body, generation: 7 }) }
}
