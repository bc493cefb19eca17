/** Words that belong to an occupation when they stand right before it. */
export const OCCUPATION_MODIFIERS: readonly string[] = `
  bankruptcy forensic freelance hospital school pastry marine field law prison regional bush ship family divorce patent tax
  criminal wedding tattoo jazz folk opera street war sports football rugby swimming chess ballet theatre film television radio
  investigative data clinical community rural mobile volunteer military naval village city county state public court sign
  conference literary science crime comic children's textbook landscape botanical organic dairy sheep rice coffee tea wheat
  hobby urban head sous sushi craft master apprentice structural civil electrical mechanical software sound aerospace
  chemical biomedical nuclear mining railway bridge web game security systems frontend backend research quantum particle
  nuclear medical food fashion furniture interior graphic costume set jewellery portrait wildlife aerial documentary soap
  character voice stand-up contemporary classical venture angel commercial mortgage insurance customs currency art
  antiquities museum oral economic labour environmental conservation wildlife volcano mountain river forest park
  emergency trauma heart brain cardiac plastic veterinary pediatric paediatric psychiatric oncology neonatal intensive-care
  occupational speech music physical sex couples addiction retail community night long-haul helicopter cargo airline
  glider bicycle motorcycle tractor aircraft boat diesel elevator land hydrographic quantity
`
  .trim()
  .split(/\s+/);
