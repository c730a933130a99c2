import { Type } from 'typebox'
import { encode } from 'uqr'
import { type CommandResult, UsageError } from '../command/command.ts'
import type { Api } from './api.ts'
import { listAll, listConnections, quoted, type Service } from './find.ts'
import { ServiceShape } from './shapes.ts'
import { table } from './table.ts'

const LinkShape = Type.Object({ link: Type.String() })

const [BLACK_ON_WHITE, RESET] = ['\x1b[30;107m', '\x1b[0m']

/** Services that a company can be connected to. */
export async function listServices(api: Api): Promise<CommandResult> {
  const all = await listAll(api, ServiceShape, '/normalized-data/services', { FilterQuery: 'isEnabled=true' })
  return { document: all, text: table(all.map(({ id, category, name }) => [id, category, name])) }
}

export async function issueLink(api: Api, companyId: string, service: Service, options: Record<string, string>): Promise<string> {
  const query = new URLSearchParams(options)
  const { link } = await api.read(LinkShape, `/normalized-data/company/${companyId}/data-connection/${service.id}/link?${query}`)
  if (!/^https?:/.test(link)) throw new UsageError('the deployment answers with a link that is no web address')
  return link
}

/** Filters for the connections that a link to a service can lead to: of an aggregator those to its banks, too. */
export function connectionsOf({ id, name }: Service): string[] {
  return [`serviceId=${id}`, `parentServiceName=${quoted(name)}`]
}

/** Ids and last changes of existing connections to a service. */
export async function connectionsBefore(api: Api, companyId: string, service: Service): Promise<ReadonlySet<string>> {
  const existing = await listConnections(api, companyId, connectionsOf(service).join('||'))
  return new Set(existing.map(({ sessionId, lastUpdatedOn }) => `${sessionId} ${lastUpdatedOn}`))
}

/** QR code of half blocks, two modules per line; `isColoured` prints it black on white on any terminal. */
export function toQr(text: string, isColoured: boolean): string {
  const { data, size } = encode(text, { ecc: 'L', border: 2 })
  const lines: string[] = []
  for (let row = 0; row < size; row += 2) {
    const line = Array.from({ length: size }, (_, column) => {
      const [top, bottom] = [data[row]?.[column], data[row + 1]?.[column]]
      return top ? (bottom ? '█' : '▀') : bottom ? '▄' : ' '
    }).join('')
    lines.push(isColoured ? `${BLACK_ON_WHITE}${line}${RESET}` : line)
  }
  return lines.join('\n')
}
