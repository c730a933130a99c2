import { defineCommand, UsageError } from '../command/command.ts'

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'lets an assistant on this computer read a deployment’s data (MCP over standard input)',
  description: [
    'For assistants that start their MCP servers as programs. It needs the address of a deployment and an API key, and none of the deployment’s settings. An administrator must have turned the MCP server on for the instance (docs/guides/mcp.md).',
    'The key comes from COUNTINGHOUSE_API_KEY, never from an argument, which others on the computer can read.',
  ],
  options: { address: { value: 'URL', summary: 'public address of the deployment' } },
  examples: [{ line: 'countinghouse mcp --address https://data.lender.example', summary: 'with the key in COUNTINGHOUSE_API_KEY' }],
  run: async (values, context) => {
    const address = URL.parse(values.text('address') ?? '')
    if (!address || !/^https?:$/.test(address.protocol)) throw new UsageError('--address must be the http(s) address of a deployment')
    const key = context.env.COUNTINGHOUSE_API_KEY?.trim() ?? ''
    if (key === '') throw new UsageError('an API key is needed: set COUNTINGHOUSE_API_KEY')
    const { serveOverStdio } = await import('../mcp/stdio.ts')
    await serveOverStdio({ address: address.href.replace(/\/+$/, ''), key, stopSignal: context.stopSignal() })
    return null
  },
})
