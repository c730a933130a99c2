import { fr } from '../../model/texts/french.ts'
import type { accessibilityEn } from './accessibility-en.ts'

/** La déclaration publique sur l’accessibilité. */
export const accessibilityFrCa: typeof accessibilityEn = {
  accessibility: {
    link: 'Accessibilité',
    title: 'Accessibilité de ces pages',
    intro: 'Toute personne à qui l’on demande l’accès à ses comptes devrait pouvoir répondre seule et sans aide.',
    promiseTitle: 'Ce que nous vous assurons',
    promises: [
      'Tout se fait au clavier seulement, et l’élément actif est toujours visible.',
      'Les lecteurs d’écran lisent d’abord le titre de chaque page; toute erreur est expliquée en mots, près du champ et en haut de la page.',
      fr`Le texte peut être agrandi à 200 %, et les pages tiennent sur un écran de 320 pixels sans défilement horizontal.`,
      'Les réglages clair, foncé et à contraste élevé de votre appareil sont respectés, de même que la réduction des animations.',
      'Rien sur ces pages n’est limité à quelques secondes, et JavaScript n’est pas nécessaire, sauf dans la fenêtre de certains fournisseurs.',
    ],
    standardTitle: 'La norme',
    standard: 'Les pages sont conçues selon les Règles pour l’accessibilité des contenus Web (WCAG) 2.2, niveau AA.',
    checked:
      'Chaque page est vérifiée automatiquement dans les deux langues et les deux jeux de couleurs à chaque modification du logiciel, puis parcourue au clavier.',
    limitsTitle: 'Ce qui manque, à notre connaissance',
    limits: [
      'Aucune personne qui utilise un lecteur d’écran au quotidien n’a encore mis ces pages à l’essai pour nous; nous avons vérifié ce que les navigateurs transmettent aux lecteurs d’écran.',
      'Les pages de votre institution financière ou de votre logiciel comptable, et les fenêtres de ceux-ci qui s’ouvrent ici, sont conçues par eux.',
    ],
    contactTitle: 'Si quelque chose ne fonctionne pas',
    contact: (requester) =>
      fr`Écrivez à ${requester}. Précisez la page et ce que vous utilisez; on vous proposera une autre façon de faire, par exemple l’envoi de fichiers.`,
    contactSender:
      'Écrivez à l’expéditeur du lien. Précisez la page et ce que vous utilisez; on vous proposera une autre façon de faire, par exemple l’envoi de fichiers.',
    back: 'Retour à la connexion',
    state: 'Rédigé en novembre 2026.',
  },
}
