import type { Static, TSchema } from 'typebox'
import { isUuid } from '../../model/values/uuid.ts'
import { UsageError } from '../command/command.ts'
import { getOnlyOne } from '../command/only-one.ts'
import { type Api, ApiFailure } from './api.ts'
import { CompanyShape, ConnectionShape, pageOf, ServiceShape } from './shapes.ts'
import { printable } from './table.ts'

const PAGE_SIZE = 500

export type Company = Static<typeof CompanyShape>
export type Service = Static<typeof ServiceShape>
export type Connection = Static<typeof ConnectionShape>

/** All items of a list, page by page. */
export async function listAll<T extends TSchema>(
  api: Api,
  item: T,
  path: string,
  query: Record<string, string> = {},
): Promise<Static<T>[]> {
  const all: Static<T>[] = []
  for (let number = 1; ; number += 1) {
    const parameters = new URLSearchParams({ ...query, PageSize: String(PAGE_SIZE), PageNumber: String(number) })
    const { data } = await api.read(pageOf(item), `${path}?${parameters}`)
    all.push(...(data as Static<T>[]))
    if (data.length < PAGE_SIZE) return all
  }
}

/**
 * Company by its id, its external id, or its name, in any letter case if none is written exactly so; throws `UsageError`
 * when there is none or more than one.
 */
export async function getCompany(api: Api, text: string): Promise<Company> {
  const id = text.toLowerCase()
  if (isUuid(id)) {
    return await api.read(CompanyShape, `/normalized-data/companies/${id}`).catch((error: unknown) => {
      throw error instanceof ApiFailure && error.status === 404 ? new UsageError(`there is no company ${id}`) : error
    })
  }
  const value = quoted(text)
  const find = async (FilterQuery: string) => await listAll(api, CompanyShape, '/normalized-data/companies', { FilterQuery })
  const exact = await find(`name=${value} || externalId=${value}`)
  const wanted = toAnyCase(text)
  const found = exact.length > 0 ? exact : (await find(`name~${value}`)).filter(({ name }) => toAnyCase(name) === wanted)
  return getOnlyOne(found, { text, what: 'company', list: 'countinghouse companies list', describe: describeNamed })
}

/** Service by its id, or its name in any letter case. */
export async function getService(api: Api, text: string): Promise<Service> {
  const wanted = text.toLowerCase()
  const all = await listAll(api, ServiceShape, '/normalized-data/services')
  const exact = all.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted)
  const found = exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase().startsWith(wanted))
  return getOnlyOne(found, { text, what: 'service', list: 'countinghouse link --services', describe: describeNamed })
}

export async function listConnections(api: Api, companyId: string | null): Promise<Connection[]> {
  const path = companyId === null ? '/normalized-data' : `/normalized-data/company/${companyId}`
  return await listAll(api, ConnectionShape, `${path}/data-connection/statuses`)
}

/** Connections that a company has now, one to each service. */
export async function listCurrentConnections(api: Api, companyId: string): Promise<Connection[]> {
  return (await listConnections(api, companyId)).filter(({ isCurrent }) => isCurrent)
}

/** Current connection of a company to a service, by the service's id or name. */
export async function getConnection(api: Api, companyId: string, text: string): Promise<Connection> {
  const wanted = text.toLowerCase()
  const all = await listCurrentConnections(api, companyId)
  const found = all.filter(({ serviceId, serviceName }) => serviceId === wanted || serviceName.toLowerCase() === wanted)
  return getOnlyOne(found, {
    text,
    what: 'connection to',
    list: 'countinghouse connections list',
    describe: describeService,
  })
}

const describeService = ({ serviceId, serviceName }: { serviceId: string; serviceName: string }) => printable(`${serviceId} ${serviceName}`)
const describeNamed = ({ id, name }: { id: string; name: string }) => printable(`${id} ${name}`)

/** Text for a comparison that ignores letter case. */
function toAnyCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** Text in the notation of `FilterQuery`. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
