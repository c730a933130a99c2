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

/** Service by its id, its name, exactly so or in any letter case, or the beginning of its name. */
export async function getService(api: Api, text: string): Promise<Service> {
  const found = await findServices(api, text)
  return getOnlyOne(found, { text, what: 'service', list: 'countinghouse link --services', describe: describeNamed })
}

async function findServices(api: Api, text: string): Promise<Service[]> {
  const wanted = text.toLowerCase()
  const find = async (FilterQuery: string) => await listAll(api, ServiceShape, '/normalized-data/services', { FilterQuery })
  if (isUuid(wanted)) return await find(`id=${wanted}`)
  const exact = await find(`name=${quoted(text)}`)
  if (exact.length > 0) return exact
  const alike = await find(`name~${quoted(text)}`)
  const named = alike.filter(({ name }) => name.toLowerCase() === wanted)
  return named.length > 0 ? named : alike.filter(({ name }) => name.toLowerCase().startsWith(wanted))
}

/** Connections of a company, or of all, past ones included, that match a `FilterQuery`. */
export async function listConnections(api: Api, companyId: string | null, FilterQuery = ''): Promise<Connection[]> {
  const path = companyId === null ? '/normalized-data' : `/normalized-data/company/${companyId}`
  return await listAll(api, ConnectionShape, `${path}/data-connection/statuses`, FilterQuery === '' ? {} : { FilterQuery })
}

/**
 * Connections that a company has now, one to each service; only those that match one of the clauses, where there are
 * any.
 */
export async function listCurrentConnections(api: Api, companyId: string, clauses: readonly string[] = []): Promise<Connection[]> {
  const filter = clauses.length === 0 ? 'isCurrent=true' : clauses.map((clause) => `isCurrent=true&&${clause}`).join('||')
  return await listConnections(api, companyId, filter)
}

/** Current connection of a company to a service, by the service's id or name. */
export async function getConnection(api: Api, companyId: string, text: string): Promise<Connection> {
  const wanted = text.toLowerCase()
  // The database may not know the capitals of all letters, so names are compared here.
  const found = isUuid(wanted)
    ? await listCurrentConnections(api, companyId, [`serviceId=${wanted}`])
    : (await listCurrentConnections(api, companyId)).filter(({ serviceName }) => serviceName.toLowerCase() === wanted)
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
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
