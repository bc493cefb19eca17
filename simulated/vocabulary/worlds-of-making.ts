import type { World } from './world';

/** Worlds of making and showing: stage and film, music, food, craft and pictures. */
export const WORLDS_OF_MAKING: readonly World[] = [
  {
    occupations: [
      'actor', 'choreographer', 'cinematographer', 'comedian', 'dancer', 'filmmaker', 'producer', 'director', 'stage manager',
      'puppeteer', 'magician',
    ],
    topics: [
      'the rehearsal schedule', 'a scene that drags', 'the shot list', 'the programme note', 'the tour budget',
      'an audition notice', 'the ticket sales by night', 'a letter to the theatre', 'the costume changes',
      'a two-minute trailer text', 'the safety of the fight scene', 'the grant application', 'the understudy plan',
    ],
    troubles: [
      'rehearsal rooms that are booked twice', 'critics who leave at the interval', 'budgets in which lunch is a line',
      'a lead with a sore throat', 'weather on shooting days', 'an audience that laughs elsewhere',
    ],
    factors: {
      'Person/Group': [
        'Director {full}', 'the {place} Ensemble', 'Producer {surname}', 'the Youth Company', 'the Stagehands',
        'the {surname} Sisters', 'Dramaturge {full}', 'the Test Audience',
      ],
      'Organization/Institution': [
        'the {place} Playhouse', 'the {surname} Film Fund', 'the Actors\' Guild', 'the {place} Dance Academy',
        '{surname} Pictures', 'the Fringe Office',
      ],
      'Object/Artifact': [
        'the Prompt Book', 'the {surname} Mask', 'the Wooden Dance Floor', 'the Old Film Camera', 'the Prop Cupboard',
        'the Velvet Curtain',
      ],
      'Content/Media': [
        'the {place} Theatre Review', 'the Rehearsal Videos', 'the {surname} Screenplay', 'the Festival Trailer',
        'the Programme Booklet', 'the Director\'s Commentary',
      ],
      'Tool/Technology': [
        'CueMaster', 'the {surname} Lighting Desk', 'the Motion Capture Rig', 'the Call Sheet App', 'the Editing Suite',
        'the Surtitle Machine',
      ],
      'Location/Place': [
        'the {place} Studio Stage', 'the Green Room', 'Rehearsal Room Two', '{place} Open-Air Theatre', 'the Cutting Room',
        'the Costume Loft',
      ],
      'Process/Activity': [
        'the Table Read', 'the Technical Rehearsal', 'the Casting Call', 'the Rough Cut Screening', 'the Improvisation Hour',
        'the Scene Blocking',
      ],
      'Event/Time': [
        'the {place} Premiere', 'the Opening Night', 'the {surname} Awards', 'the Summer Tour', 'the Festival Week',
        'the Last Day of Shooting',
      ],
    },
  },
  {
    occupations: ['composer', 'musician', 'singer', 'conductor', 'violinist', 'pianist', 'guitarist', 'cellist', 'DJ'],
    topics: [
      'the set list', 'the programme for autumn', 'a fugue that limps', 'the rehearsal plan', 'the royalties of last year',
      'a letter to a festival', 'the liner notes', 'an arrangement for nine players', 'a lesson on rhythm',
      'the stage plan', 'the choice of a recording', 'the practice log',
    ],
    troubles: [
      'halls that echo', 'agents who call during practice', 'pages that turn too late', 'a bow that needs new hair',
      'tours with one free day', 'listeners who clap too soon',
    ],
    factors: {
      'Person/Group': [
        'Maestro {full}', 'the {place} String Quartet', 'the Choir Altos', 'Producer {surname}', 'the {surname} Trio',
        'the Saturday Pupils', 'Organist {full}', 'the Tour Crew',
      ],
      'Organization/Institution': [
        'the {place} Philharmonic', '{surname} Records', 'the Conservatory of {place}', 'the Performing Rights Society',
        'the {place} Jazz Club', 'the Hymnal Commission',
      ],
      'Object/Artifact': [
        'the {surname} Cello', 'the Metronome', 'the Handwritten Score', 'the Broken Reed Box', 'the Chapel Organ',
        'the Road Case',
      ],
      'Content/Media': [
        'the {place} Concert Broadcast', 'the Practice Recordings', 'the {surname} Sonata', 'the Liner Notes Series',
        'the Choir Newsletter', 'the Film Score Demo',
      ],
      'Tool/Technology': [
        'ScoreSmith', 'the Loop Pedal', 'the {surname} Mixing Desk', 'TuneLedger', 'the Sample Library', 'the Click Track',
      ],
      'Location/Place': [
        'the {place} Concert Hall', 'Practice Room Five', 'the Cellar Studio', '{place} Cathedral', 'the Tour Bus',
        'the Backyard Stage',
      ],
      'Process/Activity': [
        'the Sectional Rehearsal', 'the Sound Check', 'the Sight-Reading Hour', 'the Mixing Session', 'the Audition Round',
        'the Score Revision',
      ],
      'Event/Time': [
        'the {place} Summer Festival', 'the Christmas Oratorio', 'the {surname} Competition', 'the Album Release',
        'the Easter Service', 'the Final Recital',
      ],
    },
  },
  {
    occupations: ['baker', 'barista', 'brewer', 'butcher', 'chef', 'cook', 'waiter', 'confectioner', 'restaurateur', 'caterer'],
    topics: [
      'the spring menu', 'a recipe for eighty guests', 'the supplier prices', 'the allergen sheet', 'a notice about rye bread',
      'the waste figures', 'the rota for the holidays', 'a tasting evening', 'the fermentation log', 'a reply to a harsh review',
      'the opening of the second shop', 'the cold-room checks', 'a card for the counter',
    ],
    troubles: [
      'ovens with moods', 'deliveries without the butter', 'guests with new allergies', 'reviews written before dessert',
      'a rent that rises like dough', 'staff who sleep through dawn',
    ],
    factors: {
      'Person/Group': [
        'Chef {full}', 'the {place} Morning Queue', 'the Saturday Kitchen Crew', 'Critic {surname}', 'the {surname} Wedding Party',
        'the Apprentice Bakers', 'Grandmother {surname}', 'the Regulars at Table Six',
      ],
      'Organization/Institution': [
        'the {place} Food Safety Office', '{surname} Mill', 'the Brewers\' Guild', 'the {place} School Canteen',
        'Hotel {surname}', 'the {place} Food Bank',
      ],
      'Object/Artifact': [
        'the Sourdough Crock', 'the {surname} Recipe Book', 'the Copper Kettle', 'the Wood-Fired Oven', 'the Espresso Machine',
        'the Knife Roll',
      ],
      'Content/Media': [
        'the {place} Food Guide', 'the Chalkboard Menu', 'the {surname} Cookbook', 'the Brew Diary', 'the Review Page',
        'the Kitchen Channel',
      ],
      'Tool/Technology': [
        'the {surname} Dough Sheeter', 'TableTurn Reservations', 'the Cold-Room Sensor', 'the Recipe Scaler', 'the Till System',
        'BrewTrack',
      ],
      'Location/Place': [
        'the {place} Market Stall', 'the Back Kitchen', 'the Cold Room', '{place} Beer Garden', 'the Window Counter',
        'the Smokehouse',
      ],
      'Process/Activity': [
        'the Menu Tasting', 'the Dawn Bake', 'the Stock Rotation', 'the Allergen Briefing', 'the Batch Fermentation',
        'the Staff Meal',
      ],
      'Event/Time': [
        'the {place} Harvest Supper', 'the Sunday Lunch Rush', 'the Health Inspection', 'the {surname} Banquet',
        'the Carnival Week', 'the Tasting Festival',
      ],
    },
  },
  {
    occupations: [
      'artist', 'barber', 'designer', 'illustrator', 'jeweler', 'photographer', 'potter', 'sculptor', 'tailor', 'painter',
      'weaver', 'blacksmith', 'watchmaker', 'hairdresser',
    ],
    topics: [
      'the artist statement', 'a quote for a commission', 'the layout of a booklet', 'the glaze tests', 'the wall text',
      'the fitting appointments', 'an invitation card', 'the prices of the spring series', 'a reply to an unhappy client',
      'the packing list', 'the sales at three fairs', 'a class for beginners', 'the portfolio order',
    ],
    troubles: [
      'clients who cannot say what they want', 'kilns that crack at night', 'commissions paid in exposure',
      'a workshop without heating', 'fashions that end mid-collection', 'copies that appear within a month',
    ],
    factors: {
      'Person/Group': [
        'Master {full}', 'the {surname} Bridal Party', 'Gallerist {surname}', 'the {place} Studio Neighbours',
        'the Evening Class', 'Collector {full}', 'the Sunday Models', 'the {place} Customers Over Eighty',
      ],
      'Organization/Institution': [
        'the {place} Art Fund', 'Gallery {surname}', 'the Craft Guild', 'the {place} Design School', '{surname} Textiles',
        'the Hallmarking Office',
      ],
      'Object/Artifact': [
        'the {surname} Brooch', 'the Treadle Sewing Machine', 'the Second Kiln', 'the Sketchbook Stack',
        'the Large-Format Camera', 'the Unfinished Bronze',
      ],
      'Content/Media': [
        'the {place} Arts Magazine', 'the Studio Feed', 'the {surname} Picture Book', 'the Pattern Archive',
        'the Exhibition Wall Texts', 'the Mood Board',
      ],
      'Tool/Technology': [
        'the {surname} Loom', 'PixelForge', 'the Laser Engraver', 'the Colour Meter', 'the Kiln Controller', 'ShopWindow',
      ],
      'Location/Place': [
        'the {place} Workshop', 'the North-Light Studio', 'the Dye Yard', '{place} Craft Market', 'the Fitting Room',
        'the Foundry Courtyard',
      ],
      'Process/Activity': [
        'the First Fitting', 'the Client Briefing', 'the Glaze Firing', 'the Portfolio Review', 'the Print Proofing',
        'the Stone Setting',
      ],
      'Event/Time': [
        'the {place} Biennial', 'the Open Studio Weekend', 'the {surname} Commission Deadline', 'the Wedding Season',
        'the Winter Craft Fair', 'the Graduation Show',
      ],
    },
  },
];
