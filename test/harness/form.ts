import type { Credentials, Grant } from '../../src/connectors/contract/contract.ts'
import type { ConnectorHarness } from './connector.ts'

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
  if (authorize.step !== 'form') throw new Error('this source does not connect by form')
  const address = authorize.fields.some(({ name }) => name === 'address') ? { address: url } : {}
  return await authorize.submit(kit, { ...address, ...answer, ...typed }, reconnect)
}
