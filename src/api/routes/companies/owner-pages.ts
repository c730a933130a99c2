import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { contrastOfAccent, type Theme } from '../../../model/values/colours.ts'
import type { Locale } from '../../../model/values/text.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import {
  changeLogo,
  changeOwnerPages,
  describeOwnerPages,
  MAX_LOGO_BYTES,
  type OwnerPagesInput,
  SettingsRefused,
} from '../../../sync/branding/owner-pages.ts'
import type { Access } from '../../access/access.ts'
import { admins, type Caller, readers } from '../../access/caller.ts'
import { badField, badRequest } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, orNull, strict } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'
import { checkUpload } from './check-upload.ts'

const COLOUR = { pattern: '^#[0-9a-fA-F]{6}$', examples: ['#1d4fc4'] }
const Key = { pattern: '^[a-z0-9][a-z0-9-]{0,39}$', examples: ['credit-line'] }
const PurposeText = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' })
const MAX_PURPOSES = 30
const MAX_ADDRESSES = 50
const MAX_FRAME_ORIGINS = 20
/** Base64 length of the largest logo. */
const MAX_LOGO_TEXT = Math.ceil(MAX_LOGO_BYTES / 3) * 4

const purpose = {
  key: Type.String(Key),
  en: PurposeText,
  fr: PurposeText,
  durationDays: Type.Integer({ minimum: 1, maximum: 3650, description: 'How long a consent to it lasts' }),
}

const settings = {
  publicName: Type.String({ maxLength: 100, description: 'Who asks, as owners read it. Empty: the name of the instance' }),
  contact: Type.String({ maxLength: 320, description: 'E-mail or https address that owners may write to; empty: none' }),
  accentLight: orNull(
    Type.String({ ...COLOUR, description: 'On the light pages, with a contrast of 4.5:1 or better; null: the usual one' }),
  ),
  accentDark: orNull(Type.String({ ...COLOUR, description: 'On the dark pages, with a contrast of 4.5:1 or better; null: the usual one' })),
  defaultLanguage: orNull(
    Type.String({ enum: ['en', 'fr'], description: 'For owners whose browser and link name neither; null: English' }),
  ),
  timeZone: orNull(
    Type.String({
      maxLength: 64,
      description:
        'Whose days owners are told of whose own zone is not known, as the IANA database names it; null: UTC. It stays as it is when left out',
      examples: ['America/Toronto'],
    }),
  ),
  defaultPurpose: orNull(Type.String({ ...Key, description: 'Of links that name none; null: the first one' })),
  returnAddresses: Type.Array(Type.String({ maxLength: 2000 }), {
    maxItems: MAX_ADDRESSES,
    description: 'Where owners may be sent back to: the same origin, and a path that begins with this one',
    examples: [['https://app.example.com/onboarding']],
  }),
  frameOrigins: Type.Array(Type.String({ maxLength: 300 }), {
    maxItems: MAX_FRAME_ORIGINS,
    description:
      'Origins of your pages that may hold a link’s pages in a frame (`<countinghouse-link>`), each as browsers write it. Empty: none. It stays as it is when left out',
    examples: [['https://app.example.com']],
  }),
}

const Input = strict(
  {
    ...settings,
    timeZone: Type.Optional(settings.timeZone),
    frameOrigins: Type.Optional(settings.frameOrigins),
    purposes: Type.Array(strict(purpose), {
      maxItems: MAX_PURPOSES,
      description: 'Why data is asked for. A changed one gets a new version. Empty: one of the deployment’s own, for a year',
    }),
  },
  {
    title: 'OwnerPagesInput',
    examples: [
      {
        ...{ publicName: 'Érable Lending', contact: 'data@example.com', accentLight: null, accentDark: null },
        ...{ defaultLanguage: null, defaultPurpose: null, returnAddresses: ['https://app.example.com/onboarding'], purposes: [] },
      },
    ],
  },
)

const Answer = strict(
  {
    ...settings,
    purposes: Type.Array(strict({ ...purpose, version: Type.Integer() })),
    logo: orNull(strict({ address: Type.String(), type: Type.String(), bytes: Type.Integer() })),
    contrast: strict(
      { light: orNull(Type.Number()), dark: orNull(Type.Number()) },
      { description: 'Of the accents, to 1, where they are read worst' },
    ),
  },
  { title: 'OwnerPages' },
)

const PATH = '/instance/owner-pages'
const tags = ['Owner pages']
/** A PNG of one pixel. */
const EXAMPLE_LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Owner page settings: branding, purposes and return addresses. */
export function ownerPageRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [getOwnerPagesRoute, changeOwnerPagesRoute, changeLogoRoute, deleteLogoRoute])
}

const getOwnerPagesRoute = route(
  {
    method: 'GET',
    url: PATH,
    scope: 'settings:read',
    roles: readers,
    schema: { tags, summary: 'Settings of the owner’s pages', operationId: 'getOwnerPages', response: { 200: Answer } },
  },
  async (deps: AccessRouteDeps, request) => await present(deps, request.caller.instanceId),
)

const changeOwnerPagesRoute = route(
  {
    method: 'PUT',
    url: PATH,
    scope: 'settings:write',
    roles: admins,
    audit: 'ownerPages.changed',
    schema: {
      tags,
      summary: 'Replace the settings of the owner’s pages',
      operationId: 'updateOwnerPages',
      body: Input,
      response: { 200: Answer },
    },
  },
  async (deps: AccessRouteDeps, request) => {
    const options = { allowsLoopback: deps.sandbox !== undefined }
    const { instanceId } = request.caller
    const input = toInput(request.body)
    await change(deps, request.caller, 'ownerPages.changed', (db) => changeOwnerPages(db, instanceId, input, options))
    return await present(deps, instanceId)
  },
)

const changeLogoRoute = route(
  {
    method: 'PUT',
    url: `${PATH}/logo`,
    scope: 'settings:write',
    roles: admins,
    audit: ['ownerPages.logoChanged', 'file.malware-found'],
    schema: {
      tags,
      summary: 'Put a logo in place of the one before',
      description: 'PNG, JPEG or WebP of at most 100 KB, as base64. Its kind is told by its bytes.',
      operationId: 'updateLogo',
      body: strict({ content: Type.String({ minLength: 1, maxLength: MAX_LOGO_TEXT, description: 'Base64', examples: [EXAMPLE_LOGO] }) }),
      response: { 200: Answer },
    },
  },
  async (deps: AccessRouteDeps, request) => {
    const { instanceId } = request.caller
    const bytes = readBase64(request.body.content)
    await checkUpload(deps, instanceId, 'content', bytes)
    await change(deps, request.caller, 'ownerPages.logoChanged', (db) => changeLogo(db, instanceId, bytes))
    return await present(deps, instanceId)
  },
)

const deleteLogoRoute = route(
  {
    method: 'DELETE',
    url: `${PATH}/logo`,
    scope: 'settings:write',
    roles: admins,
    audit: 'ownerPages.logoRemoved',
    schema: { tags, summary: 'Remove the logo', operationId: 'deleteLogo', response: { 204: NoContent } },
  },
  async (deps: AccessRouteDeps, request, reply) => {
    await change(deps, request.caller, 'ownerPages.logoRemoved', (db) => changeLogo(db, request.caller.instanceId, null))
    reply.code(204)
    return null
  },
)

async function present(deps: AccessRouteDeps, instanceId: string) {
  const { pages, purposes } = await describeOwnerPages(deps.database, instanceId)
  const { logo, purposeKeys: _keys, defaultLanguage, ...rest } = pages
  return {
    ...rest,
    defaultLanguage: defaultLanguage && (defaultLanguage === 'en' ? 'en' : 'fr'),
    purposes: purposes.map(({ key, version, texts, durationDays }) => ({ key, version, en: texts.en, fr: texts['fr-CA'], durationDays })),
    logo: logo && { address: `/logos/instances/${instanceId}/${logo.hash}`, type: logo.type, bytes: logo.bytes },
    contrast: { light: shownContrast(pages.accentLight, 'light'), dark: shownContrast(pages.accentDark, 'dark') },
  }
}

async function change(
  deps: AccessRouteDeps,
  { instanceId }: Caller,
  action: 'ownerPages.changed' | 'ownerPages.logoChanged' | 'ownerPages.logoRemoved',
  act: (db: Db) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.database, async (db) => {
    const before = await describeSettings(db, instanceId)
    await act(db).catch(refuse)
    const after = await describeSettings(db, instanceId)
    await recordChange(db, { instanceId, action, subject: `instance/${instanceId}`, before, after })
  })
}

/** Settings, purposes and logo, one field each. */
async function describeSettings(db: Db, instanceId: string) {
  const { pages, purposes } = await describeOwnerPages(db, instanceId)
  return { ...pages, ...pages.logo, purposes: purposes.map(({ key, version }) => `${key}@${version}`).join(', ') }
}

function toInput({ purposes, accentLight, accentDark, defaultLanguage, ...body }: Static<typeof Input>): OwnerPagesInput {
  const locales: Record<string, Locale> = { en: 'en', fr: 'fr-CA' }
  return {
    ...body,
    publicName: body.publicName.trim(),
    contact: body.contact.trim(),
    accentLight: accentLight?.toLowerCase() ?? null,
    accentDark: accentDark?.toLowerCase() ?? null,
    defaultLanguage: locales[defaultLanguage ?? ''] ?? null,
    purposes: purposes.map(({ key, en, fr, durationDays }) => ({ key, texts: { en, 'fr-CA': fr }, durationDays })),
  }
}

function refuse(error: unknown): never {
  if (error instanceof SettingsRefused) throw badRequest('The settings cannot be used.', [...error.faults])
  throw error
}

/** NOTE: `Buffer` skips invalid base64, so the text is checked by encoding it again. */
function readBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw badField('content', 'is no base64')
  return bytes
}

function shownContrast(accent: string | null, theme: Theme): number | null {
  return accent === null ? null : Math.floor(contrastOfAccent(accent, theme) * 100) / 100
}
