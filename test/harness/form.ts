import type { InputRefused } from '../../src/connectors/contract/authorization.ts'
import type { Connector, Credentials, Grant, Kit } from '../../src/connectors/contract/contract.ts'
import { serveHttp } from '../../src/egress/loopback-server.ts'
import type { ConnectorHarness } from './connector.ts'
import { refusalOf } from './connector-calls.ts'

/** Submits a source's form with the owner's values of the harness; `typed` overrides single fields. */
export async function submit(
  {
    connector,
    kit,
    url = '',
    answer = {},
  }: Pick<ConnectorHarness, 'connector' | 'kit'> & Partial<Pick<ConnectorHarness, 'url' | 'answer'>>,
  typed: Readonly<Record<string, string>> = {},
  reconnect?: Credentials,
): Promise<Grant> {
  const { authorize } = connector
  const hasAddress = authorize.step === 'form' && authorize.fields.some(({ name }) => name === 'address')
  return await submitForm(connector, kit, { ...(hasAddress && { address: url }), ...answer, ...typed }, reconnect)
}

/** Submits a source's form with exactly these values. */
export async function submitForm(
  { authorize }: Pick<Connector, 'authorize'>,
  kit: Kit,
  values: Readonly<Record<string, string>>,
  reconnect?: Credentials,
): Promise<Grant> {
  if (authorize.step !== 'form') throw new Error('this source does not connect by form')
  return await authorize.submit(kit, values, reconnect)
}

/** What the owner reads when the typed address is that of a server that answers everything with this. */
export async function refusalOfServer(
  harness: Parameters<typeof submit>[0],
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<InputRefused> {
  const server = await serveHttp((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
  })
  try {
    return await refusalOf(submit({ ...harness, url: server.url }))
  } finally {
    await server.close()
  }
}
