import type { CommandResult } from '../command/command.ts'
import type { Api } from './api.ts'
import { describeConnections } from './connections.ts'
import { type Company, getCompany, listAll, listConnections } from './find.ts'
import { CompanyShape } from './shapes.ts'
import { printable, table } from './table.ts'

export async function list(api: Api): Promise<CommandResult> {
  const all = await listAll(api, CompanyShape, '/normalized-data/companies')
  return { document: all, text: table(all.map(toLine)) || 'there is no company yet' }
}

export interface NewCompany {
  name: string
  country: string | null
  city: string | null
  externalId: string | null
}

export async function add(api: Api, { name, country, city, externalId }: NewCompany): Promise<CommandResult> {
  const body = { name, ...(country && { country }), ...(city && { city }), ...(externalId && { externalId }) }
  const added = await api.read(CompanyShape, '/normalized-data/company', { method: 'POST', body })
  return { document: added, text: toLine(added).join('  ') }
}

export async function show(api: Api, text: string): Promise<CommandResult> {
  const company = await getCompany(api, text)
  const connections = await listConnections(api, company.id)
  return { document: { ...company, connections }, text: `${toLine(company).join('  ')}\n${describeConnections(connections)}` }
}

function toLine({ id, name, createdOn, externalId }: Company): string[] {
  return [id, createdOn.slice(0, 10), ...(externalId === null ? [] : [printable(externalId)]), printable(name)]
}
