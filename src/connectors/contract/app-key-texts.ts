import type { LocalizedText } from '../../model/values/text.ts'

/** Label of a key and where to find it at the source. */
export interface AppKeyText {
  label: LocalizedText
  hint?: LocalizedText
  /** Not secret: shown in clear; default: secret. */
  isPublic?: true
  /** Several lines (PEM). */
  isLong?: true
}

/** Keys with the same meaning at many sources. */
const COMMON: Readonly<Record<string, AppKeyText>> = {
  clientId: { label: { en: 'Client ID', 'fr-CA': 'Identifiant client' }, isPublic: true },
  clientSecret: { label: { en: 'Client secret', 'fr-CA': 'Secret client' } },
  secret: { label: { en: 'Secret', 'fr-CA': 'Secret' } },
  secretKey: { label: { en: 'Secret key', 'fr-CA': 'Clé secrète' } },
  apiKey: { label: { en: 'API key', 'fr-CA': 'Clé d’API' } },
  keyId: {
    label: { en: 'Key ID', 'fr-CA': 'Identifiant de la clé' },
    hint: { en: 'Tells the bank which of your keys signed.', 'fr-CA': 'Indique à l’institution laquelle de vos clés a signé.' },
    isPublic: true,
  },
  privateKey: { label: { en: 'Private key (PEM)', 'fr-CA': 'Clé privée (PEM)' }, isLong: true },
  certificate: { label: { en: 'Client certificate (PEM)', 'fr-CA': 'Certificat client (PEM)' }, isLong: true },
  certificateKey: { label: { en: 'Private key of the certificate (PEM)', 'fr-CA': 'Clé privée du certificat (PEM)' }, isLong: true },
  signingKey: {
    label: { en: 'Signing key', 'fr-CA': 'Clé de signature' },
    hint: { en: 'A private key as PEM, or as JWK in one line.', 'fr-CA': 'Une clé privée en PEM, ou en JWK sur une ligne.' },
    isLong: true,
  },
  signingKeyId: {
    label: { en: 'ID of the signing key', 'fr-CA': 'Identifiant de la clé de signature' },
    hint: { en: 'Where the bank tells keys apart.', 'fr-CA': 'Si l’institution distingue plusieurs clés.' },
    isPublic: true,
  },
  connectors: {
    label: { en: 'Connectors', 'fr-CA': 'Connecteurs' },
    hint: {
      en: 'The banks that your contract covers: id=Name; id=Name.',
      'fr-CA': 'Les institutions couvertes par votre contrat : id=Nom; id=Nom.',
    },
    isPublic: true,
  },
  webhookKey: {
    label: { en: 'Webhook key', 'fr-CA': 'Clé des webhooks' },
    hint: {
      en: 'Proves that a webhook is real; without it none is believed.',
      'fr-CA': 'Prouve l’authenticité d’un webhook; sans elle, aucun n’est cru.',
    },
  },
  webhookSecret: {
    label: { en: 'Webhook secret', 'fr-CA': 'Secret des webhooks' },
    hint: {
      en: 'Proves that a webhook is real; without it none is believed.',
      'fr-CA': 'Prouve l’authenticité d’un webhook; sans lui, aucun n’est cru.',
    },
  },
}

/**
 * Text for one of a source's keys. A key without a description (of a bank's own profile) is labelled by its name and
 * kept secret.
 */
export function appKeyTextOf({ appKeyTexts }: { appKeyTexts?: Readonly<Record<string, AppKeyText>> }, name: string): AppKeyText {
  return appKeyTexts?.[name] ?? COMMON[name] ?? { label: { en: name, 'fr-CA': name } }
}
