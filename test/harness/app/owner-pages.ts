import type { OwnerPagesInput } from '../../../src/sync/branding/owner-pages.ts'

/** Settings of owner pages that set nothing. */
export const EMPTY_OWNER_PAGES: OwnerPagesInput = {
  publicName: '',
  contact: '',
  accentLight: null,
  accentDark: null,
  defaultLanguage: null,
  defaultPurpose: null,
  returnAddresses: [],
  purposes: [],
}
