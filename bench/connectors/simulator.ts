import { createServer } from 'node:http'
import { listen, serveForBench } from '../servers/child.ts'
import { createGiant } from './sources.ts'

interface Request {
  key: string
  accounts: number
}

/** Serves the source in its own process. */
await serveForBench(async (request) => {
  const { key, accounts } = JSON.parse(request) as Request
  let url = ''
  const simulator = await createGiant(key, accounts, { baseUrl: () => url })
  const server = await listen(createServer((asked, response) => simulator.handle(asked, response)))
  const address = server.address()
  if (address !== null && typeof address === 'object') url = `http://127.0.0.1:${address.port}`
  return server
})
