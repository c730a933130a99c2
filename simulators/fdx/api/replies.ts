import { type Reply, sendWith } from '../../kit/http/response.ts'

export function dataReply(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json', body, headers }
}

export const send = sendWith(({ type }) => ({ 'content-type': type, 'cache-control': 'no-store' }))
