/** Answers about the owner's pages and what owners agreed to. */
export interface OwnerPages {
  publicName: string
  contact: string
  accentLight: string | null
  accentDark: string | null
  defaultLanguage: 'en' | 'fr' | null
  timeZone: string | null
  defaultPurpose: string | null
  returnAddresses: string[]
  purposes: Purpose[]
  logo: { address: string; type: string; bytes: number } | null
  contrast: { light: number | null; dark: number | null }
}

export interface Purpose {
  key: string
  version: number
  en: string
  fr: string
  durationDays: number
}

export interface Consent {
  id: string
  serviceId: string
  sessionId: string | null
  purpose: string
  purposeVersion: number
  language: 'en' | 'fr'
  givenOn: string
  expiresOn: string
  endedOn: string | null
  endedHow: 'withdrawn' | 'expired' | 'disconnected' | 'replaced' | 'unused' | 'declined' | null
  texts: { en: string[]; fr: string[] }
}
