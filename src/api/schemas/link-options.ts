import { type Static, Type } from 'typebox'
import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../../store/db/database.ts'
import { getOwnerPages } from '../../store/owners/owner-pages.ts'
import { findReturnFault, isAllowedReturn } from '../../sync/branding/return-address.ts'
import type { LinkOptions } from '../../sync/links/link.ts'
import { badRequest, type FieldError } from '../errors/errors.ts'
import { strict } from './schemas.ts'

/** Options of a link, apart from company and service. */
export const linkQuery = strict({
  Purpose: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Key of one of the purposes of the instance; left out, the default of the day it is opened',
    }),
  ),
  Language: Type.Optional(
    Type.String({ enum: ['en', 'fr'], description: 'In which the pages begin, unless the owner has chosen; left out, the browser’s' }),
  ),
  ExpiresIn: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, default: 168, description: 'Hours for which the link can be opened' })),
  ReturnUrl: Type.Optional(
    Type.String({
      maxLength: 2000,
      description:
        'Where the owner may go back to in the end, one of the allowed return addresses. It is given `status` (`connected` or `declined`), `companyId` and `serviceId`',
    }),
  ),
})

/** Checks a validated query against the settings of the instance; a 400 with the reason when it does not match them. */
export async function readLinkOptions(db: Db, instanceId: string, query: Static<typeof linkQuery>): Promise<LinkOptions> {
  const { Purpose, Language, ExpiresIn, ReturnUrl } = query
  const pages = await getOwnerPages(db, instanceId)
  const errors: FieldError[] = []
  if (Purpose !== undefined && !pages.purposeKeys.includes(Purpose)) {
    errors.push({ field: 'Purpose', message: 'is none of the purposes of this instance' })
  }
  const fault = ReturnUrl === undefined ? null : findFault(ReturnUrl, pages.returnAddresses)
  if (fault !== null) errors.push({ field: 'ReturnUrl', message: fault })
  if (errors.length > 0) throw badRequest('The request has invalid values.', errors)
  const language: Locale | undefined = Language === undefined ? undefined : Language === 'fr' ? 'fr-CA' : 'en'
  return { purposeKey: Purpose, language, lifeHours: ExpiresIn, returnUrl: ReturnUrl }
}

/** The allowlist alone decides whether loopback is allowed. */
function findFault(address: string, allowed: readonly string[]): string | null {
  const fault = findReturnFault(address, { allowsLoopback: true })
  if (fault !== null) return fault
  return isAllowedReturn(address, allowed) ? null : 'is not among the return addresses that this instance allows'
}
