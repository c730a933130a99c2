import { createHash } from 'node:crypto'
import { contrastOfAccent, MIN_CONTRAST, nearestAccent, type Theme } from '../../model/values/colours.ts'
import { toTimeZone } from '../../model/values/dates.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { parseWebAddress } from '../../model/values/web-address.ts'
import type { Db } from '../../store/db/database.ts'
import {
  addPurposeVersion,
  getOwnerPages,
  listPurposes,
  lockOwnerPages,
  type OwnerPages,
  type Purpose,
  saveLogo,
  saveOwnerPages,
} from '../../store/owners/owner-pages.ts'
import { findFrameOriginFault } from './frame-origin.ts'
import { findReturnFault } from './return-address.ts'

/** Default purpose of an instance without its own: one year, the maximum under open banking rules. */
const OUR_PURPOSE: Purpose = { key: 'service', version: 0, texts: null, durationDays: 365 }

/** Input of purposes with their texts; a changed text becomes a new version. */
export interface OwnerPagesInput extends Omit<OwnerPages, 'logo' | 'purposeKeys' | 'timeZone' | 'frameOrigins'> {
  /** Unchanged when absent. */
  timeZone?: string | null
  /** Unchanged when absent. */
  frameOrigins?: string[]
  purposes: readonly { key: string; texts: LocalizedText; durationDays: number }[]
}

interface SettingsFault {
  field: string
  message: string
}

/** Thrown for invalid settings; nothing was changed. */
export class SettingsRefused extends Error {
  readonly faults: readonly SettingsFault[]

  constructor(faults: readonly SettingsFault[]) {
    super('the settings were refused')
    this.faults = faults
  }
}

/** Offered purposes in the order of the settings. */
async function listOffered(db: Db, instanceId: string, pages: OwnerPages): Promise<(Purpose & { texts: LocalizedText })[]> {
  const known = new Map((await listPurposes(db, instanceId)).map((purpose) => [purpose.key, purpose]))
  return pages.purposeKeys.flatMap((key) => known.get(key) ?? [])
}

/** Purpose of a link, including one that is no longer offered; without a key the default. */
export async function getPurpose(db: Db, instanceId: string, pages: OwnerPages, key: string | null): Promise<Purpose> {
  const wanted = key ?? pages.defaultPurpose ?? pages.purposeKeys[0]
  if (wanted === undefined) return OUR_PURPOSE
  return (await listPurposes(db, instanceId)).find((purpose) => purpose.key === wanted) ?? OUR_PURPOSE
}

/** Replaces the owner page settings in the transaction of `db`. Throws `SettingsRefused`. */
export async function changeOwnerPages(
  db: Db,
  instanceId: string,
  input: OwnerPagesInput,
  options: { allowsLoopback: boolean },
): Promise<void> {
  const faults = listFaults(input, options)
  if (faults.length > 0) throw new SettingsRefused(faults)
  const { purposes, timeZone, frameOrigins, ...pages } = input
  await lockOwnerPages(db, instanceId)
  const before = await getOwnerPages(db, instanceId)
  const known = new Map((await listPurposes(db, instanceId)).map((purpose) => [purpose.key, purpose]))
  for (const purpose of purposes) {
    const newest = known.get(purpose.key)
    if (newest && isSamePurpose(newest, purpose)) continue
    await addPurposeVersion(db, instanceId, { ...purpose, version: (newest?.version ?? 0) + 1 })
  }
  await saveOwnerPages(db, instanceId, {
    ...pages,
    timeZone: timeZone === undefined ? before.timeZone : timeZone,
    frameOrigins: [...new Set(frameOrigins ?? before.frameOrigins)],
    purposeKeys: purposes.map(({ key }) => key),
  })
}

function isSamePurpose(
  one: { texts: LocalizedText; durationDays: number },
  other: { texts: LocalizedText; durationDays: number },
): boolean {
  return one.durationDays === other.durationDays && one.texts.en === other.texts.en && one.texts['fr-CA'] === other.texts['fr-CA']
}

function listFaults(input: OwnerPagesInput, options: { allowsLoopback: boolean }): SettingsFault[] {
  const keys = input.purposes.map(({ key }) => key)
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) !== index)
  const isDefaultKnown = input.defaultPurpose === null || keys.includes(input.defaultPurpose)
  return [
    ...fault('contact', isContact(input.contact) ? null : 'has to be an e-mail address or begin with https://'),
    ...fault(
      'timeZone',
      typeof input.timeZone !== 'string' || toTimeZone(input.timeZone) !== null ? null : 'is no time zone of the IANA database',
    ),
    ...fault('accentLight', findAccentFault(input.accentLight, 'light')),
    ...fault('accentDark', findAccentFault(input.accentDark, 'dark')),
    ...fault(`purposes.${repeated}.key`, repeated < 0 ? null : 'is given twice'),
    ...fault('defaultPurpose', isDefaultKnown ? null : 'is none of the purposes'),
    ...input.returnAddresses.flatMap((address, index) => fault(`returnAddresses.${index}`, findAllowFault(address, options))),
    ...(input.frameOrigins ?? []).flatMap((origin, index) => fault(`frameOrigins.${index}`, findFrameOriginFault(origin, options))),
  ]
}

function fault(field: string, message: string | null): SettingsFault[] {
  return message === null ? [] : [{ field, message }]
}

function isContact(contact: string): boolean {
  if (contact === '' || /^[^\s@<>"'`(),:;\\]+@[^\s@<>"'`(),:;\\]+\.[^\s@<>"'`(),:;\\]+$/.test(contact)) return true
  return /^https:\/\/[^\s<>"'`]+$/.test(contact) && parseWebAddress(contact)?.username === ''
}

function findAccentFault(accent: string | null, theme: Theme): string | null {
  const ratio = accent === null ? MIN_CONTRAST : contrastOfAccent(accent, theme)
  if (accent === null || ratio >= MIN_CONTRAST) return null
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2)
  return `has a contrast of ${shown}:1 where ${MIN_CONTRAST}:1 is needed; the nearest that passes is ${nearestAccent(accent, theme)}`
}

function findAllowFault(address: string, options: { allowsLoopback: boolean }): string | null {
  const found = findReturnFault(address, options)
  if (found !== null) return found
  const { search, hash } = new URL(address)
  return search === '' && hash === '' ? null : 'must not hold a query or a fragment'
}

/** Image types by their magic bytes. */
const PICTURES: readonly { type: string; begins(bytes: Buffer): boolean }[] = [
  // Source: https://www.w3.org/TR/png-3/#5PNG-file-signature
  { type: 'image/png', begins: (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) },
  // Source: https://www.w3.org/Graphics/JPEG/itu-t81.pdf (B.1.1.3: SOI, then another marker)
  { type: 'image/jpeg', begins: (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) },
  // Source: https://www.rfc-editor.org/rfc/rfc9649#section-2.4
  {
    type: 'image/webp',
    begins: (bytes) => bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP',
  },
]

export const MAX_LOGO_BYTES = 102_400

/** Replaces the logo; null removes it. Its type is detected from its bytes. Throws `SettingsRefused`. */
export async function changeLogo(db: Db, instanceId: string, bytes: Buffer | null): Promise<void> {
  if (bytes === null) return await saveLogo(db, instanceId, null)
  if (bytes.length > MAX_LOGO_BYTES) throw new SettingsRefused([{ field: 'content', message: `is larger than ${MAX_LOGO_BYTES} bytes` }])
  const type = PICTURES.find((picture) => picture.begins(bytes))?.type
  if (type === undefined) throw new SettingsRefused([{ field: 'content', message: 'is no PNG, JPEG or WebP picture' }])
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  await saveLogo(db, instanceId, { bytes, type, hash })
}

/** Settings with the offered purposes. */
export async function describeOwnerPages(
  db: Db,
  instanceId: string,
): Promise<{ pages: OwnerPages; purposes: (Purpose & { texts: LocalizedText })[] }> {
  const pages = await getOwnerPages(db, instanceId)
  return { pages, purposes: await listOffered(db, instanceId, pages) }
}
