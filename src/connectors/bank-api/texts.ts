import type { LocalizedText } from '../../model/values/text.ts'

/** Refusals shown to the person who fills in the form of a profile. */
export const refusals = {
  form: {
    en: 'This does not look like what the bank uses. Check it against a letter or the online service of the bank.',
    'fr-CA':
      'Cette valeur n’a pas la forme qu’utilise l’institution. Vérifiez-la sur une lettre ou dans les services en ligne de l’institution.',
  },
  unknown: {
    en: 'The bank does not know a customer with these details. Check each of them and try again.',
    'fr-CA': 'L’institution ne connaît aucun client qui corresponde à ces renseignements. Vérifiez chacun d’eux, puis réessayez.',
  },
  password: {
    en: 'The bank refused these credentials.',
    'fr-CA': 'L’institution a refusé ces identifiants.',
  },
  noAccounts: {
    en: 'The bank shows no account for these details.',
    'fr-CA': 'L’institution n’indique aucun compte pour ces renseignements.',
  },
} satisfies Record<string, LocalizedText>
