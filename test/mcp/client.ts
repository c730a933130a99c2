import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { openApiHarness } from '../api/harness.ts'

/** Structured content of a tool's answer; a test reads what it expects. */
export interface Content {
  notice: string
  address: string
  page: { number: number; size: number; hasMore: boolean }
  omitted?: number
  data: Record<string, unknown>[]
  error?: { status: number; detail: string }
}

export const SCOPES = ['data:read', 'companies:read', 'connections:read']

/** The API on a port, with the MCP server turned on, and official clients. */
export async function openMcpHarness(settings: Parameters<typeof openApiHarness>[1] = {}) {
  const api = await openApiHarness([], settings)
  const origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const clients: Client[] = []
  const newKey = async (scopes = SCOPES): Promise<string> =>
    ((await api.call('POST', '/api-keys', { body: { name: 'Assistant', scopes } })).json() as unknown as { key: string }).key
  const turn = async (isEnabled: boolean) => (await api.call('PUT', '/instance/mcp-access', { body: { isEnabled } })).statusCode
  const connect = async (key: string): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }))
    clients.push(client)
    return client
  }
  /** A message as a program sends it that is not the official client. */
  const post = async (headers: Record<string, string>, message: object = { method: 'tools/list' }) =>
    await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
  await turn(true)
  return {
    api,
    origin,
    newKey,
    turn,
    connect,
    post,
    close: async () => {
      for (const client of clients) await client.close()
      await api.close()
    },
  }
}

/** Calls a tool; its content in both forms. */
export async function callTool(client: Client, name: string, input: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: input })
  const [first] = answer.content as { type: string; text: string }[]
  return { content: answer.structuredContent as unknown as Content, text: first?.text ?? '', isError: answer.isError === true }
}
