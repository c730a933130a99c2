import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { type ToolAnswer, toFailure } from '../../api/mcp/answer.ts'
import { createMcpServer } from '../../api/mcp/mcp-server.ts'
import { createEgress } from '../../egress/egress.ts'
import { EgressError } from '../../egress/egress-error.ts'
import { parseJsonOrNull } from '../../model/values/json.ts'
import { FinishingTransport } from './finishing-transport.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1_000_000
/** Protocol revision whose messages need no session and no envelope. */
const REVISION = '2025-06-18'

const Problem = Type.Object({ detail: Type.String() })
const Result = Type.Object({
  result: Type.Object({
    content: Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() })),
    structuredContent: Type.Record(Type.String(), Type.Unknown()),
    isError: Type.Optional(Type.Boolean()),
  }),
})

interface Deployment {
  address: string
  key: string
  stopSignal: AbortSignal
}

/**
 * Serves the tools over standard input and output until the input has ended and all its requests are answered, or the
 * signal is aborted.
 */
export async function serveOverStdio({ address, key, stopSignal }: Deployment): Promise<void> {
  const egress = createEgress({ allowPrivate: true })
  const post = async (message: object) =>
    await egress.request({
      method: 'POST',
      url: `${address}/mcp`,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': REVISION,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    })
  const call = async (name: string, input: unknown): Promise<ToolAnswer> => {
    try {
      const { status, body } = await post({ method: 'tools/call', params: { name, arguments: input } })
      return readAnswer(status, Buffer.from(body).toString('utf8'))
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      return toFailure(503, `${address} does not answer: ${error.message}`)
    }
  }
  const transport = new FinishingTransport(process.stdin, process.stdout)
  const handle = serveStdio(() => createMcpServer(call), { transport })
  await Promise.race([transport.closed, once(stopSignal, 'abort')])
  await handle.close()
  await egress.close()
}

function readAnswer(status: number, text: string): ToolAnswer {
  const data = /^data: (.+)$/m.exec(text)?.[1] ?? text
  const message = parseJsonOrNull(data)
  if (status === 200 && Check(Result, message)) return message.result
  return toFailure(
    status === 200 ? 502 : status,
    Check(Problem, message) ? message.detail : 'The answer is not one of Countinghouse; is the address right?',
  )
}
