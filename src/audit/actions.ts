/*
 * Catalogue of audit actions: each with its text in both languages, the fields whose values an entry shows before and
 * after, and those of which it only says that they changed: secrets, addresses, amounts, full numbers. Imports nothing:
 * the portal bundles it. docs/audit.md is generated from it.
 */

export interface AuditAction {
  en: string
  fr: string
  shows?: readonly string[]
  withholds?: readonly string[]
}

const COMPANY_FIELDS = {
  shows: ['name', 'industry', 'country', 'city', 'externalId'],
  withholds: ['fullAddress', 'companyContactNumber', 'metadata'],
} as const

const EXPORT_FIELDS = { shows: ['companyId', 'category', 'entity', 'format'] } as const
const DESTINATION_FIELDS = {
  shows: ['name', 'kind', 'endpoint', 'region', 'bucket', 'prefix', 'authentication', 'schema', 'tls'],
  withholds: ['accessKeyId', 'host', 'port', 'user', 'hostKey', 'path', 'database', 'certificateAuthority', 'secret'],
} as const
const KEY_FIELDS = ['purpose', 'keyId', 'writesFrom'] as const
const FEED_FIELDS = {
  shows: ['name', 'companyId', 'kind', 'everyMinutes', 'isPaused', 'authentication'],
  withholds: ['host', 'user', 'path', 'hostKey', 'secret'],
} as const

const ACTIONS = {
  // Logins and sessions
  'login.succeeded': { en: 'Signed in', fr: 'Ouverture de session' },
  'login.failed': { en: 'Sign-in failed', fr: 'Échec de l’ouverture de session' },
  'session.closed': { en: 'Signed out', fr: 'Fermeture de session' },
  'session.ended': { en: 'Own session ended', fr: 'Session terminée par son utilisateur' },
  'session.proven': { en: 'Identity proved again', fr: 'Identité confirmée de nouveau' },
  'session.proof-refused': { en: 'Proof of identity failed', fr: 'Échec de la confirmation d’identité' },
  'session.reuse-detected': {
    en: 'Session ended: a refresh token was used twice',
    fr: 'Session terminée : un jeton a été utilisé deux fois',
  },
  'password.changed': { en: 'Password changed', fr: 'Mot de passe changé' },
  'password.forgotten': { en: 'Password reset requested', fr: 'Réinitialisation du mot de passe demandée' },
  'password.reset': { en: 'Password set by a link', fr: 'Mot de passe défini au moyen d’un lien' },
  'password.link-issued': { en: 'Link for a new password issued', fr: 'Lien de nouveau mot de passe émis' },
  'two-step.begun': { en: 'Set-up of two-step login begun', fr: 'Activation de la connexion en deux étapes commencée' },
  'two-step.enabled': { en: 'Two-step login turned on', fr: 'Connexion en deux étapes activée' },
  'two-step.disabled': { en: 'Two-step login turned off', fr: 'Connexion en deux étapes désactivée' },
  'two-step.codes-renewed': { en: 'Recovery codes renewed', fr: 'Codes de récupération renouvelés' },
  'session.ended-by-provider': { en: 'Session ended by the identity provider', fr: 'Session terminée par le fournisseur d’identité' },
  'identity-provider.saved': {
    en: 'Identity provider saved',
    fr: 'Fournisseur d’identité enregistré',
    shows: [
      ...['issuer', 'clientId', 'scopes', 'groupsClaim', 'emailDomains', 'trustsEmails', 'createsMembers', 'defaultRole'],
      ...['acceptedAcr', 'acceptedAmr', 'isRequired'],
    ],
    withholds: ['clientSecret', 'parameters'],
  },
  'identity-provider.removed': {
    en: 'Identity provider removed',
    fr: 'Fournisseur d’identité retiré',
    shows: ['issuer', 'clientId', 'isRequired'],
  },
  'identity.added': {
    en: 'Member signed in with the identity provider for the first time',
    fr: 'Première connexion d’un membre par le fournisseur d’identité',
  },
  'passkey.added': { en: 'Passkey added', fr: 'Clé d’accès ajoutée', shows: ['name'] },
  'passkey.renamed': { en: 'Passkey renamed', fr: 'Clé d’accès renommée', shows: ['name'] },
  'passkey.removed': { en: 'Passkey removed', fr: 'Clé d’accès retirée', shows: ['name'] },
  'passkey.refused': { en: 'Passkey refused: its counter has not risen', fr: 'Clé d’accès refusée : son compteur n’a pas augmenté' },
  // Members
  'user.created': { en: 'Member added', fr: 'Membre ajouté', shows: ['role', 'isEnabled'], withholds: ['name', 'email'] },
  'user.invited': { en: 'Invitation mailed', fr: 'Invitation envoyée' },
  'user.changed': {
    en: 'Member changed',
    fr: 'Membre modifié',
    shows: ['role', 'isEnabled', 'isActive', 'externalId'],
    withholds: ['name', 'email', 'userName', 'attributes', 'password'],
  },
  'user.deleted': { en: 'Member deleted', fr: 'Membre supprimé', shows: ['role', 'isEnabled'], withholds: ['name', 'email'] },
  'scim-group.created': { en: 'Group added', fr: 'Groupe ajouté', shows: ['displayName', 'externalId'] },
  'scim-group.changed': { en: 'Group changed', fr: 'Groupe modifié', shows: ['displayName', 'externalId'] },
  'scim-group.deleted': { en: 'Group deleted', fr: 'Groupe supprimé', shows: ['displayName', 'externalId'] },
  'group-roles.changed': { en: 'Roles of groups changed', fr: 'Rôles des groupes modifiés', shows: ['groupRoles'] },
  'user.two-step-reset': { en: 'Two-step login of a member reset', fr: 'Connexion en deux étapes d’un membre réinitialisée' },
  'user.sessions-ended': { en: 'Sessions of a member ended', fr: 'Sessions d’un membre terminées' },
  'sign-in.rules-changed': { en: 'Sign-in rules changed', fr: 'Règles de connexion modifiées', shows: ['requiresTwoStep'] },
  'api-key.created': { en: 'API key created', fr: 'Clé API créée', shows: ['name', 'prefix', 'expiresOn', 'applicationId'] },
  'api-key.rotated': { en: 'API key rotated', fr: 'Clé API remplacée', shows: ['replacedBy', 'expiresOn'] },
  'api-key.revoked': { en: 'API key revoked', fr: 'Clé API révoquée', shows: ['name', 'prefix'] },
  // Companies and links
  'company.created': { en: 'Company added', fr: 'Entreprise ajoutée', ...COMPANY_FIELDS },
  'company.changed': { en: 'Company changed', fr: 'Entreprise modifiée', ...COMPANY_FIELDS },
  'company.deleted': { en: 'Company deleted', fr: 'Entreprise supprimée', ...COMPANY_FIELDS },
  'link.created': {
    en: 'Link created',
    fr: 'Lien créé',
    shows: ['companyId', 'serviceId', 'purposeKey', 'language', 'lifeHours', 'applicationId'],
    withholds: ['returnUrl'],
  },
  'link.opened': { en: 'Link opened', fr: 'Lien ouvert' },
  'institution.requested': {
    en: 'Missing bank reported',
    fr: 'Banque manquante signalée',
    shows: ['serviceId', 'name', 'country'],
    withholds: ['url', 'note'],
  },
  'institution.answered': {
    en: 'Report of a missing bank answered',
    fr: 'Réponse donnée au sujet d’une banque manquante',
    withholds: ['answer'],
  },
  // Connections
  'connection.refresh-requested': { en: 'Refresh requested', fr: 'Actualisation demandée' },
  'connection.deletions-accepted': { en: 'Deletions accepted', fr: 'Suppressions acceptées' },
  'connection.suspended': { en: 'Connection suspended', fr: 'Connexion suspendue' },
  'connection.resumed': { en: 'Connection resumed', fr: 'Connexion reprise' },
  'connection.disconnected': { en: 'Connection disconnected', fr: 'Connexion rompue' },
  'connection.authorized': { en: 'Connection authorized', fr: 'Connexion autorisée' },
  'connection.schedule-changed': { en: 'Schedule of a connection changed', fr: 'Horaire d’une connexion modifié', shows: ['everyMinutes'] },
  'service.schedule-changed': { en: 'Schedule of a service changed', fr: 'Horaire d’un service modifié', shows: ['everyMinutes'] },
  'connection.data-deleted': { en: 'Data deleted by the owner', fr: 'Données supprimées par le propriétaire' },
  'authorization.started': { en: 'Authorization started at the source', fr: 'Autorisation commencée à la source' },
  'authorization.failed': { en: 'Authorization failed', fr: 'Échec de l’autorisation' },
  'consent.given': { en: 'Consent given', fr: 'Consentement donné', shows: ['purposeKey', 'language', 'expiresAt'] },
  'consent.declined': { en: 'Consent declined', fr: 'Consentement refusé' },
  'consent.withdrawn': { en: 'Consent withdrawn', fr: 'Consentement retiré' },
  'consent.expired': { en: 'Consent expired', fr: 'Consentement expiré' },
  'authorization.returned': {
    en: 'Returned from the source, with books to choose from',
    fr: 'Retour de la source, comptabilité à choisir',
  },
  'hand-off.created': { en: 'Link handed to a helper', fr: 'Lien confié à une autre personne', withholds: ['name', 'email'] },
  'hand-off.accepted': { en: 'Helper has begun', fr: 'Prise en charge par la personne désignée' },
  'hand-off.declined': { en: 'Helper declined', fr: 'Refus de la personne désignée' },
  'hand-off.revoked': { en: 'Hand-off revoked', fr: 'Lien confié révoqué' },
  'owner-address.saved': { en: 'Owner’s address saved', fr: 'Adresse du propriétaire enregistrée', withholds: ['address'] },
  'owner-address.removed': { en: 'Owner’s address removed', fr: 'Adresse du propriétaire supprimée' },
  'owner-page.mailed': { en: 'Owner’s page mailed', fr: 'Page du propriétaire envoyée' },
  'owner-page.address-issued': { en: 'Address of the owner’s page issued', fr: 'Adresse de la page du propriétaire émise' },
  'owner-page.address-replaced': { en: 'Address of the owner’s page replaced', fr: 'Adresse de la page du propriétaire remplacée' },
  'owner-page.addresses-revoked': { en: 'Addresses of the owner’s page revoked', fr: 'Adresses de la page du propriétaire révoquées' },
  // Settings
  'mail.settings': { en: 'Mail settings changed', fr: 'Paramètres des courriels modifiés', shows: ['writesToOwners'] },
  'ownerPages.changed': {
    en: 'Settings of the owner’s pages changed',
    fr: 'Paramètres des pages du propriétaire modifiés',
    shows: ['publicName', 'accentLight', 'accentDark', 'defaultLanguage', 'timeZone', 'defaultPurpose', 'purposes', 'frameOrigins'],
    withholds: ['contact', 'returnAddresses'],
  },
  'mcp.access-changed': { en: 'Access of assistants changed', fr: 'Accès des assistants modifié', shows: ['isEnabled'] },
  'mcp.called': { en: 'Data read by an assistant', fr: 'Données lues par un assistant' },
  'ownerPages.logoChanged': { en: 'Logo replaced', fr: 'Logo remplacé', shows: ['hash', 'type', 'bytes'] },
  'ownerPages.logoRemoved': { en: 'Logo removed', fr: 'Logo retiré', shows: ['hash', 'type', 'bytes'] },
  'source.hidden': { en: 'Source hidden', fr: 'Source masquée', shows: ['isHidden'] },
  'source.shown': { en: 'Source offered', fr: 'Source offerte', shows: ['isHidden'] },
  'source-keys.saved': { en: 'Keys of a source saved', fr: 'Clés d’une source enregistrées' },
  'source-keys.removed': { en: 'Keys of a source removed', fr: 'Clés d’une source retirées' },
  'source-keys.tested': { en: 'Keys of a source tested', fr: 'Clés d’une source vérifiées' },
  'file-feed.created': { en: 'File feed created', fr: 'Dépôt de fichiers créé', ...FEED_FIELDS },
  'file-feed.changed': { en: 'File feed changed', fr: 'Dépôt de fichiers modifié', ...FEED_FIELDS },
  'file-feed.deleted': {
    en: 'File feed deleted',
    fr: 'Dépôt de fichiers supprimé',
    shows: ['name', 'companyId', 'kind', 'everyMinutes', 'isPaused', 'authentication'],
    withholds: ['host', 'user', 'path', 'hostKey'],
  },
  'file.malware-found': { en: 'Malware found in a file', fr: 'Logiciel malveillant trouvé dans un fichier' },
  'file-feed.polled': { en: 'File feed asked to look now', fr: 'Vérification du dépôt de fichiers demandée' },
  // Webhooks
  'subscription.created': { en: 'Subscription created', fr: 'Abonnement créé', shows: ['event', 'host'], withholds: ['callbackUrl'] },
  'subscription.changed': { en: 'Subscription changed', fr: 'Abonnement modifié', shows: ['event', 'host'], withholds: ['callbackUrl'] },
  'subscription.deleted': { en: 'Subscription deleted', fr: 'Abonnement supprimé', shows: ['event', 'host'], withholds: ['callbackUrl'] },
  'subscription.enabled': { en: 'Subscription enabled', fr: 'Abonnement réactivé', shows: ['status'] },
  'subscription.disabled': { en: 'Subscription disabled', fr: 'Abonnement désactivé', shows: ['status'] },
  'subscription.tested': { en: 'Test event sent', fr: 'Événement d’essai envoyé' },
  'webhook-secret.rotated': { en: 'Webhook secret rotated', fr: 'Secret de webhook renouvelé' },
  'webhook-secret.promoted': { en: 'Webhook secret promoted', fr: 'Secret de webhook mis en service' },
  'webhook-secret.retired': { en: 'Older webhook secrets retired', fr: 'Anciens secrets de webhook retirés' },
  'webhook-secret.revoked': { en: 'Webhook secrets revoked', fr: 'Secrets de webhook révoqués' },
  'events.replayed': { en: 'Events delivered again', fr: 'Événements livrés de nouveau' },
  'receiver.opened': { en: 'Receiver opened', fr: 'Récepteur ouvert', shows: ['event'] },
  'receiver.changed': { en: 'Receiver changed', fr: 'Récepteur modifié', shows: ['behaviour'] },
  'receiver.closed': { en: 'Receiver closed', fr: 'Récepteur fermé', shows: ['event'] },
  'receiver.cleared': { en: 'Received requests deleted', fr: 'Requêtes reçues supprimées' },
  // Operations
  'replay.started': {
    en: 'Replay started',
    fr: 'Nouvelle normalisation lancée',
    shows: ['companyId', 'serviceId', 'connectorKey', 'isDryRun'],
  },
  'export.requested': { en: 'Export of data requested', fr: 'Exportation de données demandée', ...EXPORT_FIELDS },
  'export.deleted': { en: 'Export deleted', fr: 'Exportation supprimée', ...EXPORT_FIELDS },
  'export.delivery-requested': { en: 'Delivery of an export requested', fr: 'Livraison d’une exportation demandée' },
  'export.replication-requested': { en: 'Replication to a database requested', fr: 'Réplication vers une base de données demandée' },
  'export-destination.created': { en: 'Destination of exports added', fr: 'Destination des exportations ajoutée', ...DESTINATION_FIELDS },
  'export-destination.deleted': { en: 'Destination of exports removed', fr: 'Destination des exportations retirée', ...DESTINATION_FIELDS },
  'job.redriven': { en: 'Dead jobs put back', fr: 'Tâches abandonnées relancées' },
  'simulator.fault-armed': { en: 'Fault of a simulator armed', fr: 'Panne d’un simulateur armée' },
  'simulator.faults-cleared': { en: 'Faults of a simulator cleared', fr: 'Pannes d’un simulateur effacées' },
  'simulator.clock-moved': { en: 'Clock of a simulator moved', fr: 'Horloge d’un simulateur avancée' },
  'instance.created': { en: 'Instance created', fr: 'Instance créée', shows: ['name', 'kind'] },
  'instance.renamed': { en: 'Instance renamed', fr: 'Instance renommée', shows: ['name'] },
  'instance.suspended': { en: 'Instance suspended', fr: 'Instance suspendue', shows: ['reason'] },
  'instance.resumed': { en: 'Instance resumed', fr: 'Instance rétablie', shows: ['reason'] },
  'instance.passwords-allowed': { en: 'Sign-in with a password allowed again', fr: 'Connexion par mot de passe de nouveau permise' },
  'instance.quotas-changed': {
    en: 'Quotas of the instance changed',
    fr: 'Quotas de l’instance modifiés',
    shows: ['companies', 'connections', 'subscriptions', 'fileFeeds', 'replays', 'storedBytes', 'uploads', 'requestsPerMinute'],
  },
  'instance.exported': { en: 'Instance exported', fr: 'Instance exportée' },
  'instance.erasure-requested': { en: 'Erasure of the instance requested', fr: 'Effacement de l’instance demandé' },
  'instance.erased': { en: 'Instance erased', fr: 'Instance effacée', shows: ['name'] },
  // Operators
  'operator.created': { en: 'Operator added', fr: 'Exploitant ajouté', withholds: ['name', 'email'] },
  'operator.deleted': { en: 'Operator removed', fr: 'Exploitant supprimé', withholds: ['name', 'email'] },
  'operator.link-issued': { en: 'One-time link of an operator issued', fr: 'Lien à usage unique d’un exploitant émis' },
  'operator.password-set': { en: 'Operator set a password', fr: 'Mot de passe d’un exploitant défini' },
  'operator.signed-in': { en: 'Operator signed in', fr: 'Ouverture de session d’un exploitant' },
  'operator.signed-out': { en: 'Operator signed out', fr: 'Fermeture de session d’un exploitant' },
  'operator.refused': { en: 'Sign-in of an operator failed', fr: 'Échec de l’ouverture de session d’un exploitant' },
  'operator.two-step-begun': {
    en: 'Operator began to set up two-step sign-in',
    fr: 'Activation en deux étapes commencée par un exploitant',
  },
  'operator.two-step-enabled': { en: 'Operator set up two-step sign-in', fr: 'Connexion en deux étapes activée par un exploitant' },
  'operator.passkey-added': { en: 'Passkey of an operator added', fr: 'Clé d’accès d’un exploitant ajoutée', shows: ['name'] },
  'operator.passkey-renamed': { en: 'Passkey of an operator renamed', fr: 'Clé d’accès d’un exploitant renommée', shows: ['name'] },
  'operator.passkey-removed': { en: 'Passkey of an operator removed', fr: 'Clé d’accès d’un exploitant retirée', shows: ['name'] },
  'operator.proven': { en: 'Identity of an operator proved again', fr: 'Identité d’un exploitant confirmée de nouveau' },
  'operator.codes-renewed': { en: 'Operator renewed recovery codes', fr: 'Codes de récupération renouvelés par un exploitant' },
  'deployment.migrated': { en: 'Database migrated', fr: 'Base de données mise à niveau' },
  'deployment.backed-up': { en: 'Deployment backed up', fr: 'Déploiement sauvegardé' },
  'deployment.restored': { en: 'Deployment restored from a backup', fr: 'Déploiement restauré d’une sauvegarde' },
  'deployment.key-added': { en: 'Key of the deployment added', fr: 'Clé du déploiement ajoutée', shows: KEY_FIELDS },
  'deployment.paused': { en: 'Deployment paused', fr: 'Déploiement suspendu', shows: ['reason'] },
  'deployment.resumed': { en: 'Deployment resumed', fr: 'Déploiement repris', shows: ['reason'] },
} as const satisfies Record<string, AuditAction>

export type ActionName = keyof typeof ACTIONS

export const AUDIT_ACTIONS: Readonly<Record<ActionName, AuditAction>> = ACTIONS

/** Whether a text is the name of an action of this release; entries of other releases may have other names. */
export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name)
}
