import type { LocalizedText } from '../../model/values/text.ts'

/** Owner-facing texts for when a token cannot be used. */
export const refusals = {
  noToken: {
    en: 'This is not a SimpleFIN token. Copy all of it, from the page that made it.',
    'fr-CA': 'Ceci n’est pas un jeton SimpleFIN. Copiez-le en entier, depuis la page qui l’a créé.',
  },
  notSecure: {
    en: 'This token leads to an address that is not secure (https), so it was not used.',
    'fr-CA': 'Ce jeton mène à une adresse qui n’est pas sécurisée (https); il n’a pas été utilisé.',
  },
  claimed: {
    en: 'This token was used before or does not exist. If you did not use it yourself, somebody else may have read your transactions: disable it at SimpleFIN at once, then make a new one.',
    'fr-CA':
      'Ce jeton a déjà été utilisé ou n’existe pas. Si vous ne l’avez pas utilisé vous-même, quelqu’un d’autre a pu lire vos opérations : désactivez-le sans tarder chez SimpleFIN, puis créez-en un nouveau.',
  },
  unreachable: {
    en: 'The SimpleFIN server of this token did not answer. The token was not used up: try again later.',
    'fr-CA': 'Le serveur SimpleFIN de ce jeton n’a pas répondu. Le jeton n’a pas été consommé : réessayez plus tard.',
  },
  notSimplefin: {
    en: 'The server of this token did not answer as SimpleFIN does. Make a new token.',
    'fr-CA': 'Le serveur de ce jeton n’a pas répondu comme le fait SimpleFIN. Créez un nouveau jeton.',
  },
  needsOwner: {
    en: 'SimpleFIN asks you to do something first: sign in there, look at your banks and your subscription, then make a new token.',
    'fr-CA':
      'SimpleFIN vous demande d’abord d’agir : ouvrez-y une session, vérifiez vos banques et votre abonnement, puis créez un nouveau jeton.',
  },
} satisfies Record<string, LocalizedText>
