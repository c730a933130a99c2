import { createSpeaker, type Speak as SpeakOf, WINDOW_TEXTS } from '../../kit/pages/window-texts.ts'

const TEXTS = {
  ...WINDOW_TEXTS,
  sandbox: { en: 'Simulated FastLink, made-up banks', fr: 'FastLink simulé, institutions fictives' },
  chooseTitle: { en: 'Select your bank', fr: 'Sélectionnez votre institution financière' },
  loginTitle: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  loginHint: {
    en: 'In this sandbox anything opens; the password wrong is refused, with mfa a code is asked for.',
    fr: 'Dans ce bac à sable, tout ouvre une session; le mot de passe wrong est refusé, avec mfa un code est demandé.',
  },
  credentialsProblem: {
    en: 'The bank does not know this username and password. Check both and try again.',
    fr: 'L’institution ne reconnaît pas ce nom d’utilisateur et ce mot de passe. Vérifiez-les et réessayez.',
  },
  codeTitle: { en: 'Enter the code', fr: 'Entrez le code' },
  code: { en: 'Code from your device', fr: 'Code reçu sur votre appareil' },
  codeHint: { en: 'In this sandbox: 123456.', fr: 'Dans ce bac à sable : 123456.' },
  codeProblem: { en: 'That code is not right.', fr: 'Ce code n’est pas le bon.' },
  doneTitle: { en: '{bank} is linked', fr: '{bank} est connectée' },
  another: { en: 'Back to the list, to link another bank', fr: 'Retour à la liste, pour connecter une autre institution' },
  finish: { en: 'Save and finish', fr: 'Enregistrer et terminer' },
  exit: { en: 'Close without linking', fr: 'Fermer sans connecter' },
  expiredTitle: { en: 'This session has ended', fr: 'Cette session est terminée' },
} as const

export type TextKey = keyof typeof TEXTS
export type Speak = SpeakOf<TextKey>

export function speaker(language: 'en' | 'fr'): Speak {
  return createSpeaker(TEXTS, language)
}
