import { isUuid } from '../../../model/values/uuid.ts'
import type { ScimFilter } from '../../../store/provisioning/filters.ts'
import { Attributes, isObject } from '../messages/json.ts'
import type { PatchStep } from '../messages/patch.ts'
import { invalidPath, invalidValue, ScimError } from '../messages/scim-error.ts'

const MAX_NAME = 255
const MAX_EXTERNAL_ID = 400
/** Members that one request names, and that a group has. */
const MAX_MEMBERS = 10_000

/** What an identity provider may say of a group. Members by id in lower case, without repetition. */
export interface GroupDocument {
  displayName: string
  externalId: string | null
  members: ReadonlySet<string>
}

/** Throws a 400 for an attribute of a wrong type, and without a name. */
export function readGroupDocument(attributes: Attributes): GroupDocument {
  return {
    displayName: readName(attributes.text('displayname', 'displayName', MAX_NAME)),
    externalId: attributes.text('externalid', 'externalId', MAX_EXTERNAL_ID) ?? null,
    members: new Set(readMembers(attributes.list('members', 'members', MAX_MEMBERS))),
  }
}

/** The group after the steps of a PATCH. Throws a 400. */
export function patchGroup(before: GroupDocument, id: string, steps: readonly PatchStep[]): GroupDocument {
  const draft = { ...before, members: new Set(before.members) }
  for (const step of steps) apply(draft, id, step)
  if (draft.members.size > MAX_MEMBERS) throw invalidValue(`A group has at most ${MAX_MEMBERS} members.`)
  return draft
}

type Draft = Omit<GroupDocument, 'members'> & { members: Set<string> }

function apply(draft: Draft, id: string, step: PatchStep): void {
  const { operation, value, path } = step
  const { attribute } = path
  if (attribute.startsWith('urn:') || (attribute === 'id' && value === id)) return
  if (['id', 'meta', 'schemas'].includes(attribute)) throw new ScimError(400, 'mutability', `${attribute} cannot be changed.`)
  if (attribute === 'members') {
    patchMembers(draft.members, step)
    return
  }
  if (path.filter !== null) throw invalidPath(`${attribute.slice(0, 100)} has no values to choose from.`)
  const given = new Attributes({ value: operation === 'remove' ? null : value })
  if (attribute === 'displayname') draft.displayName = readName(given.text('value', 'displayName', MAX_NAME))
  else if (attribute === 'externalid') draft.externalId = given.text('value', 'externalId', MAX_EXTERNAL_ID) ?? null
  else throw invalidPath(`There is no attribute ${attribute.slice(0, 100)}.`)
}

function patchMembers(members: Set<string>, { operation, value, path }: PatchStep): void {
  if (path.part !== null) throw new ScimError(400, 'mutability', 'A member cannot be changed: remove it, and add another.')
  const given = readMembers(new Attributes({ value }).list('value', 'members', MAX_MEMBERS))
  const chosen = path.filter === null ? null : idsOf(path.filter)
  if (operation === 'remove') {
    // NOTE an empty list names nobody: it is not the same as no value, which means all.
    if (chosen === null && (value === undefined || value === null)) members.clear()
    for (const each of chosen ?? given) members.delete(each)
    return
  }
  if (chosen !== null) throw invalidPath('Members are added by their values, without a filter.')
  if (operation === 'replace') members.clear()
  for (const each of given) members.add(each)
}

/** Ids in `value eq "…"`, one or several joined by or. */
function idsOf(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsOf)
  if (filter.kind === 'compare' && filter.attribute === 'value' && filter.operator === 'eq' && typeof filter.value === 'string')
    return [filter.value.toLowerCase()]
  throw invalidPath('Members are chosen by value eq "…", one or several joined by or.')
}

function readName(name: string | undefined): string {
  if (name === undefined || name.trim() === '') throw invalidValue('displayName is required.')
  return name.trim()
}

function readMembers(values: readonly unknown[]): string[] {
  return values.map((member, index) => {
    const parts = isObject(member) ? new Attributes(member) : new Attributes({ value: member })
    const value = parts.get('value')
    if (typeof value !== 'string') throw invalidValue(`members[${index}] has no value.`)
    const type = parts.get('type')
    if (typeof type === 'string' && type.toLowerCase() !== 'user')
      throw invalidValue(`members[${index}] is no user: groups have no groups as members.`)
    if (!isUuid(value.toLowerCase())) throw noSuchMember(index)
    return value.toLowerCase()
  })
}

function noSuchMember(index: number): ScimError {
  return invalidValue(`members[${index}] is no user of this instance: add the user first.`)
}
