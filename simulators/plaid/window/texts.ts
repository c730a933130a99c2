import { createSpeaker, type Speak as SpeakOf, WINDOW_TEXTS } from '../../kit/pages/window-texts.ts'
import type { LinkToken } from '../state.ts'

const TEXTS = {
  ...WINDOW_TEXTS,
  sandbox: { en: 'Simulated Plaid, made-up banks', fr: 'Plaid simulé, banques fictives' },
  chooseTitle: { en: 'Choose your bank', fr: 'Choisissez votre institution financière' },
  chooseIntro: { en: '{client} uses Plaid to connect your accounts.', fr: '{client} utilise Plaid pour connecter vos comptes.' },
  results: { en: 'Banks found', fr: 'Institutions trouvées' },
  loginTitle: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  repairIntro: {
    en: 'Sign in again so that {client} can keep reading your accounts.',
    fr: 'Ouvrez une nouvelle session pour que {client} puisse continuer à lire vos comptes.',
  },
  loginHint: {
    en: 'In this sandbox: user_good and pass_good. With mfa_device as the password, a code is asked for.',
    fr: 'Dans ce bac à sable : user_good et pass_good. Avec le mot de passe mfa_device, un code est demandé.',
  },
  credentialsProblem: {
    en: 'The username or the password is wrong. Check both and try again.',
    fr: 'Le nom d’utilisateur ou le mot de passe est erroné. Vérifiez-les et réessayez.',
  },
  codeTitle: { en: 'Enter the code', fr: 'Entrez le code' },
  code: { en: 'Code from your device', fr: 'Code reçu sur votre appareil' },
  codeHint: { en: 'In this sandbox: 1234.', fr: 'Dans ce bac à sable : 1234.' },
  codeProblem: { en: 'That code is not right.', fr: 'Ce code n’est pas le bon.' },
  accountsTitle: { en: 'Choose the accounts', fr: 'Choisissez les comptes' },
  accountsLegend: { en: 'Accounts at {bank}', fr: 'Comptes chez {bank}' },
  accountsProblem: { en: 'Choose at least one account.', fr: 'Choisissez au moins un compte.' },
  successTitle: { en: 'Your accounts are connected', fr: 'Vos comptes sont connectés' },
  successRepaired: { en: 'Your sign-in is renewed', fr: 'Votre session est renouvelée' },
  finish: { en: 'Finish', fr: 'Terminer' },
  exit: { en: 'Exit without connecting', fr: 'Quitter sans connecter' },
  closedTitle: { en: 'You can close this page', fr: 'Vous pouvez fermer cette page' },
  expiredTitle: { en: 'This link has expired', fr: 'Ce lien est expiré' },
  expiredText: { en: 'Go back and start again.', fr: 'Revenez en arrière et recommencez.' },
  unknownTitle: { en: 'This page does not exist', fr: 'Cette page n’existe pas' },
  problem: { en: 'There is a problem', fr: 'Il y a un problème' },
} as const

export type TextKey = keyof typeof TEXTS
export type Speak = SpeakOf<TextKey>

export function speaker(language: LinkToken['language']): Speak {
  return createSpeaker(TEXTS, language)
}
