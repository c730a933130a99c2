import type { Locale, LocalizedText } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'

/** Owner page settings of an instance. */
export interface OwnerPages {
  /** Empty: the instance's name. */
  publicName: string
  /** E-mail or https contact address for owners; empty: none. */
  contact: string
  /** `#rrggbb`; null for the default. */
  accentLight: string | null
  accentDark: string | null
  defaultLanguage: Locale | null
  /** IANA time zone for owners whose own is unknown; null: UTC. */
  timeZone: string | null
  /** Keys of the offered purposes; empty: the default one. */
  purposeKeys: string[]
  defaultPurpose: string | null
  /** Allowed return addresses for owners. */
  returnAddresses: string[]
  /** Origins of pages that may hold the pages of a link in a frame. */
  frameOrigins: string[]
  logo: { type: string; hash: string; bytes: number } | null
}

/** Purpose: why data is requested. `version` 0 is the default purpose, whose text (null) is part of the pages. */
export interface Purpose {
  key: string
  version: number
  texts: LocalizedText | null
  durationDays: number
}

interface PagesRow extends Omit<OwnerPages, 'logo'> {
  logoType: string | null
  logoHash: string | null
  logoBytes: number | null
}

/** Settings of an instance that has never set any. */
const UNSET: OwnerPages = {
  publicName: '',
  contact: '',
  accentLight: null,
  accentDark: null,
  defaultLanguage: null,
  timeZone: null,
  purposeKeys: [],
  defaultPurpose: null,
  returnAddresses: [],
  frameOrigins: [],
  logo: null,
}

export async function getOwnerPages(db: Db, instanceId: string): Promise<OwnerPages> {
  const { rows } = await db.query<PagesRow>(
    `select public_name as "publicName", contact, accent_light as "accentLight", accent_dark as "accentDark",
       default_language as "defaultLanguage", time_zone as "timeZone", purpose_keys as "purposeKeys", default_purpose as "defaultPurpose",
       return_addresses as "returnAddresses", frame_origins as "frameOrigins", logo_type as "logoType", logo_hash as "logoHash", octet_length(logo) as "logoBytes"
     from owner_pages where instance_id = $1`,
    [instanceId],
  )
  const [row] = rows
  if (!row) return UNSET
  const { logoType, logoHash, logoBytes, ...pages } = row
  const logo = logoType === null || logoHash === null || logoBytes === null ? null : { type: logoType, hash: logoHash, bytes: logoBytes }
  return { ...pages, logo }
}

/** Replaces all settings but the logo. */
export async function saveOwnerPages(db: Db, instanceId: string, pages: Omit<OwnerPages, 'logo'>): Promise<void> {
  await db.query(
    `insert into owner_pages (instance_id, public_name, contact, accent_light, accent_dark, default_language, purpose_keys, default_purpose,
       return_addresses, time_zone, frame_origins) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (instance_id) do update set public_name = excluded.public_name, contact = excluded.contact,
       accent_light = excluded.accent_light, accent_dark = excluded.accent_dark, default_language = excluded.default_language,
       purpose_keys = excluded.purpose_keys, default_purpose = excluded.default_purpose, return_addresses = excluded.return_addresses, time_zone = excluded.time_zone,
       frame_origins = excluded.frame_origins, updated_at = clock_timestamp()`,
    [
      instanceId,
      pages.publicName,
      pages.contact,
      pages.accentLight,
      pages.accentDark,
      pages.defaultLanguage,
      pages.purposeKeys,
      pages.defaultPurpose,
      pages.returnAddresses,
      pages.timeZone,
      pages.frameOrigins,
    ],
  )
}

/** Null removes the logo. */
export async function saveLogo(db: Db, instanceId: string, logo: { bytes: Uint8Array; type: string; hash: string } | null): Promise<void> {
  await db.query(
    `insert into owner_pages (instance_id, logo, logo_type, logo_hash) values ($1, $2, $3, $4)
     on conflict (instance_id) do update set logo = excluded.logo, logo_type = excluded.logo_type, logo_hash = excluded.logo_hash,
       updated_at = clock_timestamp()`,
    [instanceId, logo?.bytes ?? null, logo?.type ?? null, logo?.hash ?? null],
  )
}

/** The logo with this hash; null when the instance has another one by now. */
export async function findLogo(db: Db, instanceId: string, hash: string): Promise<{ bytes: Buffer; type: string } | null> {
  const { rows } = await db.query<{ bytes: Buffer; type: string }>(
    'select logo as bytes, logo_type as type from owner_pages where instance_id = $1 and logo_hash = $2 and logo is not null',
    [instanceId, hash],
  )
  return rows[0] ?? null
}

/** Newest version of each purpose that ever existed, by key. */
export async function listPurposes(db: Db, instanceId: string): Promise<(Purpose & { texts: LocalizedText })[]> {
  const { rows } = await db.query<{ key: string; version: number; en: string; fr: string; durationDays: number }>(
    `select distinct on (key) key, version, text_en as en, text_fr as fr, duration_days as "durationDays"
     from purpose_versions where instance_id = $1 order by key, version desc`,
    [instanceId],
  )
  return rows.map(({ en, fr, ...purpose }) => ({ ...purpose, texts: { en, 'fr-CA': fr } }))
}

export async function addPurposeVersion(db: Db, instanceId: string, purpose: Purpose & { texts: LocalizedText }): Promise<void> {
  await db.query(
    `insert into purpose_versions (instance_id, key, version, text_en, text_fr, duration_days) values ($1, $2, $3, $4, $5, $6)`,
    [instanceId, purpose.key, purpose.version, purpose.texts.en, purpose.texts['fr-CA'], purpose.durationDays],
  )
}

/** Serializes concurrent changes of the settings. */
export async function lockOwnerPages(db: Db, instanceId: string): Promise<void> {
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`owner-pages/${instanceId}`])
}
