/** Names that go together, and the places whose mention makes them likely. */
export interface NameStock {
  /** Words that may stand in a seed sentence; matched as whole words. */
  readonly places: readonly string[];
  readonly she: readonly string[];
  readonly he: readonly string[];
  readonly surnames: readonly string[];
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Neither name nor place is a real person's; they are only common ones. */
export const NAME_STOCKS: readonly NameStock[] = [
  {
    places: words('Lagos Nigeria Nigerian Ibadan Abuja Kano Igbo Yoruba Enugu'),
    she: words('Adaeze Ngozi Folake Chiamaka Yewande Ifeoma Temitope Amara Halima Bisi'),
    he: words('Chinedu Babajide Emeka Tunde Obinna Segun Ikenna Musa Kelechi Femi'),
    surnames: words(
      'Okonkwo Adeyemi Balogun Eze Nwosu Ogunleye Abubakar Okafor Bankole Uche Danjuma Olatunji',
    ),
  },
  {
    places: words(
      'Nairobi Kenya Kenyan Mombasa Kisumu Tanzania Kampala Uganda Ethiopia Addis Rwanda Kigali Maasai',
    ),
    she: words('Wanjiru Achieng Makena Zawadi Tigist Uwase Nyokabi Akinyi Selam Namukasa'),
    he: words('Kamau Otieno Kiprono Baraka Dawit Mugisha Juma Mwangi Tesfaye Okello'),
    surnames: words('Odhiambo Wambui Kariuki Mutua Bekele Nakato Chebet Omondi Hailu Ndegwa Mushi Tadesse'),
  },
  {
    places: words(
      'Accra Ghana Dakar Senegal Burkina Faso Mali Bamako Abidjan Ivory Benin Togo Freetown Windhoek Namibia Angola Luanda',
    ),
    she: words('Efua Aissatou Abena Mariama Akosua Fatou Nafissatou Esi Ndapewa Adjoa'),
    he: words('Kwame Mamadou Kofi Ousmane Yaw Cheikh Kwabena Ibrahima Petrus Salif'),
    surnames: words(
      'Mensah Diop Asante Traore Owusu Ndiaye Boateng Sawadogo Nghipondoka Koulibaly Sarpong Keita',
    ),
  },
  {
    places: words(
      'Johannesburg Durban Cape Soweto Zulu Xhosa Zimbabwe Harare Botswana Gaborone Zambia Lusaka Malawi Pretoria Mozambique Maputo',
    ),
    she: words('Nomvula Thandiwe Lerato Rudo Naledi Zanele Chipo Palesa Ayanda Tariro'),
    he: words('Sipho Tendai Thabo Mandla Kagiso Tinashe Bongani Chanda Themba Lwazi'),
    surnames: words('Dlamini Moyo Nkosi Mokoena Banda Khumalo Ncube Molefe Phiri Mahlangu Sithole Zulu'),
  },
  {
    places: words(
      'Cairo Egypt Egyptian Tunis Tunisia Algiers Algeria Morocco Marrakesh Casablanca Fez Beirut Lebanon Lebanese Amman Jordan Baghdad Iraq Damascus Syrian Aleppo Dubai Doha Kuwait Gaza Palestinian Alexandria',
    ),
    she: words('Layla Nour Samira Yasmine Hanan Rania Salma Amal Zineb Dalia'),
    he: words('Karim Youssef Tarek Samir Hicham Bilal Nabil Faris Walid Anwar'),
    surnames: words('Haddad Khoury Mansour Benali Farouk Saleh Tazi Nasser Boutros Alaoui Qasim Hamdan'),
  },
  {
    places: words('Tehran Iran Iranian Isfahan Shiraz Kabul Afghan Dushanbe Tajik Kurdish Tabriz'),
    she: words('Shirin Parisa Nasrin Zohreh Mahsa Golnaz Farah Roya Laleh Mina'),
    he: words('Dariush Reza Kaveh Omid Behnam Farhad Navid Arash Siamak Jamshid'),
    surnames: words(
      'Hosseini Karimi Tehrani Rostami Nazari Ahmadi Sadeghi Moradi Farahani Zand Kazemi Rahimi',
    ),
  },
  {
    places: words(
      'Istanbul Ankara Turkey Turkish Izmir Anatolian Baku Azerbaijan Almaty Kazakh Tashkent Uzbek Bishkek Samarkand',
    ),
    she: words('Elif Zeynep Ayşe Defne Leyla Aigerim Nilufar Selin Gulnara Derya'),
    he: words('Emre Mehmet Can Burak Timur Rustam Kerem Nurlan Deniz Elchin'),
    surnames: words('Yilmaz Demir Aydin Kaplan Aliyev Sultanov Arslan Karimov Özdemir Şahin Bekov Tuncer'),
  },
  {
    places: words(
      'Delhi Mumbai India Indian Chennai Kolkata Bengaluru Hyderabad Kerala Punjab Gujarat Jaipur Pune Nepal Kathmandu Tamil Goa Varanasi',
    ),
    she: words('Ananya Priya Lakshmi Meera Kavita Sunita Divya Nandini Radhika Pooja'),
    he: words('Arjun Rajesh Vikram Suresh Anil Karthik Rohan Deepak Harish Manoj'),
    surnames: words('Iyer Sharma Patel Nair Banerjee Reddy Kulkarni Singh Thapa Desai Chatterjee Menon'),
  },
  {
    places: words(
      'Lahore Karachi Pakistan Pakistani Dhaka Bangladesh Bengali Colombo Sri Lanka Sylhet Peshawar Islamabad',
    ),
    she: words('Ayesha Sadia Nasreen Shanika Rukhsana Tahmina Dilini Zainab Farzana Anoma'),
    he: words('Imran Hamid Rafiq Nuwan Shahid Tariq Kamal Asif Mahbub Ruwan'),
    surnames: words(
      'Siddiqui Rahman Perera Chowdhury Malik Fernando Hossain Qureshi Jayasuriya Akhtar Sheikh Wijesinghe',
    ),
  },
  {
    places: words(
      'Beijing Shanghai China Chinese Chengdu Kunming Guangzhou Hong Kong Taipei Taiwan Wuhan Harbin Shenzhen Singapore Macau Yunnan',
    ),
    she: words('Meiling Xiaoyan Jing Yuhan Huimin Lan Peizhen Qian Shu-fen Yating'),
    he: words('Wei Jianhong Haoran Zhiming Bo Guoliang Chen-yu Minghao Tao Yichen'),
    surnames: words('Zhao Lin Huang Chen Wu Liang Tan Xu Ng Guo Tsai Leung'),
  },
  {
    places: words(
      'Tokyo Japan Japanese Osaka Kyoto Hokkaido Sapporo Nagoya Fukuoka Kobe Okinawa Hiroshima Kanazawa Nagasaki',
    ),
    she: words('Haruka Yuki Sachiko Ayumi Noriko Mei Kaori Tomoko Rin Emi'),
    he: words('Kenji Takumi Hiroshi Ren Shigeru Daichi Naoki Yusuke Satoshi Minoru'),
    surnames: words(
      'Tanaka Fujimoto Sakamoto Ishikawa Morita Hayashi Okada Nishimura Kuroda Arai Ueda Shimizu',
    ),
  },
  {
    places: words('Seoul Korea Korean Busan Jeju Daegu Incheon'),
    she: words('Jiwoo Soyeon Minji Hyejin Eunseo Yuna Nari Boram Sumin Dahye'),
    he: words('Minjun Sunghoon Taeyang Jaewon Dongmin Hyunwoo Seojun Kyung-ho Joon Sangwoo'),
    surnames: words('Kim Park Choi Jung Kang Yoon Seo Han Shin Baek Lim Moon'),
  },
  {
    places: words(
      'Hanoi Saigon Vietnam Vietnamese Bangkok Thai Thailand Manila Philippines Filipino Filipina Cebu Jakarta Indonesia Indonesian Bali Java Kuala Lumpur Malaysia Malaysian Penang Phnom Penh Laos Myanmar Yangon',
    ),
    she: words('Linh Mai Anong Maricel Dewi Siti Malee Lourdes Putri Thuy'),
    he: words('Minh Somchai Rizal Budi Duc Agus Anan Hafiz Quang Jomar'),
    surnames: words('Nguyen Santos Wijaya Srisai Tran Reyes Hartono Ismail Pham Bautista Sukarno Chaiyasit'),
  },
  {
    places: words(
      'Mexico Mexican Oaxaca Guatemala Honduras Tijuana Guadalajara Salvador Nicaragua Panama Costa Rica Monterrey Puebla',
    ),
    she: words('Guadalupe Ximena Itzel Marisol Xóchitl Paola Fernanda Rosario Citlali Jimena'),
    he: words('Alejandro Emiliano Cuauhtémoc Rogelio Efraín Mauricio Octavio Leonel Ulises Abel'),
    surnames: words(
      'Hernández Morales Ixchel Castillo Villanueva Ramírez Tzul Fuentes Ortega Zamora Cárdenas Ríos',
    ),
  },
  {
    places: words(
      'Bogotá Colombia Colombian Medellín Lima Peru Peruvian Cusco Quito Ecuador Caracas Venezuela Venezuelan La Paz Bolivia Bolivian Andean Arequipa Cali Havana Cuba Cuban',
    ),
    she: words('Catalina Yolanda Killa Milagros Luzmila Daniela Nayra Valentina Soledad Marleny'),
    he: words('Santiago Wilmer Inti Edgar Hernán Jairo Amaru Yoel Fabián Rubén'),
    surnames: words(
      'Quispe Restrepo Mamani Salazar Cárdenas Huamán Valencia Guerrero Condori Pérez Londoño Chávez',
    ),
  },
  {
    places: words(
      'Buenos Aires Argentina Argentine Argentinian Patagonia Córdoba Rosario Montevideo Uruguay Santiago Chile Chilean Valparaíso Mendoza Ushuaia Paraguay Asunción',
    ),
    she: words('Florencia Rocío Antonia Josefina Macarena Victoria Pilar Javiera Lucía Malena'),
    he: words('Joaquín Facundo Matías Gonzalo Ignacio Ramiro Nicolás Esteban Bautista Tomás'),
    surnames: words('Pereyra Sosa Rojas Muñoz Acosta Benítez Contreras Vidal Giménez Araya Luna Ferreyra'),
  },
  {
    places: words(
      'Brazil Brazilian São Paulo Rio Janeiro Curitiba Recife Salvador Amazon Lisbon Portugal Portuguese Porto Azores Bahia Madeira Belém Manaus Brasília',
    ),
    she: words('Beatriz Camila Iara Joana Luíza Mariana Inês Thaís Conceição Raquel'),
    he: words('Caetano João Rafael Tiago Vinícius Duarte Nuno Henrique Davi Paulo'),
    surnames: words(
      'Almeida Carvalho Nogueira Teixeira Figueiredo Barbosa Pires Moreira Azevedo Tavares Cunha Siqueira',
    ),
  },
  {
    places: words(
      'Madrid Spain Spanish Barcelona Seville Zaragoza Bilbao Basque Catalan Valencia Galicia Granada Andalusian Pyrenees',
    ),
    she: words('Nerea Montserrat Carmen Leire Elena Aitana Inmaculada Maite Alba Noa'),
    he: words('Iker Jordi Álvaro Manuel Xavier Unai Pau Rodrigo Julián Andrés'),
    surnames: words(
      'Etxeberria Navarro Puig Serrano Iglesias Otero Ferrer Aguirre Molina Cabrera Prats Gallego',
    ),
  },
  {
    places: words(
      'Rome Italy Italian Milan Naples Neapolitan Turin Palermo Sicily Sicilian Florence Venice Venetian Bologna Genoa Sardinia Trieste Tuscany',
    ),
    she: words('Chiara Giulia Federica Rosalia Martina Ornella Silvia Caterina Bianca Letizia'),
    he: words('Matteo Salvatore Enrico Davide Giacomo Lorenzo Pietro Vincenzo Alessio Corrado'),
    surnames: words(
      'Bellini Esposito Ricci Sanna Moretti Conti Galli Ferrara Lombardi Greco Rinaldi Marchetti',
    ),
  },
  {
    places: words(
      'Paris France French Lyon Marseille Brittany Breton Bordeaux Toulouse Brussels Belgium Belgian Geneva Swiss Switzerland Montreal Quebec Lille Provence Normandy Nantes',
    ),
    she: words('Camille Élodie Maëlle Margaux Solène Aurélie Clémence Océane Delphine Manon'),
    he: words('Baptiste Étienne Yann Thibault Rémi Gaspard Olivier Cédric Loïc Émile'),
    surnames: words(
      'Moreau Lefèvre Kervella Tremblay Dubois Girard Rousseau Lambert Peeters Favre Bouchard Mercier',
    ),
  },
  {
    places: words(
      'Berlin Germany German Hamburg Munich Bavarian Leipzig Dresden Cologne Vienna Austria Austrian Salzburg Zurich Bremen Stuttgart Frankfurt Tyrol Tyrolean Graz Bern Swabian',
    ),
    she: words('Annika Johanna Greta Katharina Ulrike Leonie Friederike Mareike Theresa Svenja'),
    he: words('Jonas Matthias Lennart Bernd Korbinian Florian Henning Stefan Moritz Uwe'),
    surnames: words(
      'Brandt Hofer Lindemann Vogel Schreiber Huber Krause Petersen Gruber Zimmermann Falk Reuter',
    ),
  },
  {
    places: words(
      'Amsterdam Netherlands Dutch Rotterdam Utrecht Copenhagen Denmark Danish Aarhus Oslo Norway Norwegian Bergen Stockholm Sweden Swedish Gothenburg Malmö Iceland Icelandic Reykjavík Faroe Tromsø Greenland Flemish',
    ),
    she: words('Ingrid Sanne Freja Astrid Maren Guðrún Liv Femke Signe Tuva'),
    he: words('Lars Jeroen Magnus Sverre Niels Bjarni Eirik Pieter Rasmus Axel'),
    surnames: words(
      'Nygaard Lindqvist Bakker Jónsdal Solberg Andersen Dijkstra Holm Bergström Visser Dahl Rask',
    ),
  },
  {
    places: words(
      'Helsinki Finland Finnish Tampere Turku Lapland Sámi Tallinn Estonia Estonian Riga Latvia Latvian Vilnius Lithuania Lithuanian Tartu Oulu Kaunas',
    ),
    she: words('Aino Kaisa Liis Ieva Rasa Ilona Helmi Maarja Daina Saara'),
    he: words('Mikko Janne Tõnu Andris Jonas Eero Rein Mantas Antti Kristaps'),
    surnames: words(
      'Virtanen Korhonen Tamm Kalniņš Petrauskas Laine Saar Ozols Niemi Kask Jankauskas Rautio',
    ),
  },
  {
    places: words(
      'Warsaw Poland Polish Kraków Gdańsk Prague Czech Brno Slovak Bratislava Budapest Hungary Hungarian Košice Wrocław Łódź Szeged Silesian',
    ),
    she: words('Zofia Agnieszka Markéta Eszter Hana Małgorzata Réka Tereza Kinga Zuzana'),
    he: words('Wojciech Tomáš Gábor Piotr Ondřej Bence Marek László Krzysztof Jaroslav'),
    surnames: words(
      'Kowalczyk Novotný Szabó Wiśniewski Dvořák Kovács Zieliński Horváth Mazur Procházka Tóth Wrona',
    ),
  },
  {
    places: words(
      'Belgrade Serbia Serbian Zagreb Croatia Croatian Sarajevo Bosnian Ljubljana Slovenia Slovenian Skopje Macedonia Sofia Bulgaria Bulgarian Bucharest Romania Romanian Athens Greece Greek Crete Cretan Tirana Albania Albanian Thessaloniki Kosovo Montenegro Cluj Cyprus',
    ),
    she: words('Milica Ivana Eleni Ioana Desislava Teuta Jasna Katerina Mirela Dunja'),
    he: words('Dragan Goran Nikos Andrei Stoyan Arben Zoran Yorgos Radu Luka'),
    surnames: words(
      'Petrović Horvat Papadakis Ionescu Dimitrov Hoxha Kovačić Stavrou Popescu Georgiev Marković Berisha',
    ),
  },
  {
    places: words(
      'Moscow Russia Russian Siberia Siberian Petersburg Kyiv Ukraine Ukrainian Odesa Lviv Minsk Belarus Tbilisi Georgia Georgian Yerevan Armenia Armenian Kharkiv Vladivostok Murmansk Kamchatka Gyumri',
    ),
    she: words('Oksana Daria Nino Anahit Polina Lesya Ketevan Svetlana Kateryna Ludmila'),
    he: words('Andriy Dmitri Giorgi Armen Pavel Taras Levan Tigran Mykola Oleg'),
    surnames: words(
      'Shevchuk Volkov Beridze Petrosyan Kovalenko Sokolov Gelashvili Hakobyan Bondar Orlov Lysenko Morozov',
    ),
  },
  {
    places: words('Tel Aviv Haifa Jerusalem Israel Israeli Jewish'),
    she: words('Noa Tamar Shira Yael Michal Hadas Ronit Avigail Orly Nitzan'),
    he: words('Avi Eitan Yonatan Gilad Ori Nadav Uri Boaz Amit Shai'),
    surnames: words('Peretz Katz Shapira Mizrahi Rosen Amar Barak Golan Azoulay Friedman Dayan Segal'),
  },
  {
    places: words(
      'London England English Leeds Manchester Liverpool Bristol Yorkshire Cornwall Cornish Grimsby Birmingham Norfolk Sheffield Newcastle Sussex Brighton British Devon Kent Oxford Cambridge',
    ),
    she: words('Harriet Imogen Gemma Philippa Beth Tamsin Joanne Nadia Verity Hazel'),
    he: words('Graham Callum Nigel Rupert Darren Alfie Leonard Simon Toby Stanley'),
    surnames: words(
      'Ashworth Pemberton Thackeray Goodwin Hargreaves Trelawny Barlow Fenwick Whitlock Sadler Mistry Okoro',
    ),
  },
  {
    places: words(
      'Dublin Ireland Irish Cork Galway Belfast Scotland Scottish Glasgow Edinburgh Hebrides Orkney Shetland Wales Welsh Cardiff Wicklow Kerry Donegal Aberdeen Mayo',
    ),
    she: words('Aoife Niamh Eilidh Rhiannon Siobhán Catriona Bronwen Orla Mairi Gwen'),
    he: words('Cormac Fergus Owain Declan Hamish Rhys Eoin Ruaridh Padraig Gethin'),
    surnames: words(
      'Gallagher Macleod Llewellyn Byrne Sinclair Pritchard Brennan Munro Griffiths Keane Drummond Vaughan',
    ),
  },
  {
    places: words(
      'Sydney Australia Australian Melbourne Perth Brisbane Tasmania Tasmanian Darwin Adelaide Queensland Zealand Auckland Wellington Māori Otago Dunedin Fiji Samoa Samoan Tonga Hawaii Hawaiian Honolulu Papuan Rarotonga',
    ),
    she: words('Aroha Kirra Matilda Leilani Mereana Tess Sina Bronte Ngaire Kiri'),
    he: words('Tane Lachlan Kahu Sione Angus Wiremu Jarrah Keanu Hemi Flynn'),
    surnames: words(
      'Ngata Fraser Kealoha Tuilagi Walker Parata Mackenzie Tamatea Doyle Kahananui Rewi Faleolo',
    ),
  },
  {
    places: words(
      "Navajo Cherokee Lakota Inuit Inuk Nunavut Cree Anishinaabe Yukon Mohawk Alaska Alaskan Ojibwe Yup'ik Iqaluit Whitehorse",
    ),
    she: words('Winona Aiyana Nizhoni Siku Dakota Makwa Tallulah Nayeli Aput Halona'),
    he: words('Ashkii Koda Tulugaq Elan Waya Nanuq Mato Chayton Takoda Elijah'),
    surnames: words(
      'Begay Tsosie Redbird Kunuk Whitefeather Yazzie Crowfoot Okpik Runningwolf Tootoo Benally Swiftwater',
    ),
  },
  {
    places: words(
      'Jamaica Jamaican Kingston Trinidad Barbados Caribbean Haiti Haitian Bahamas Guyana Martinique Dominican Puerto Bermuda Grenada',
    ),
    she: words('Shanelle Marvalyn Keisha Roselaure Althea Yanique Odette Jocelyne Mirlande Charmaine'),
    he: words('Desmond Jean-Baptiste Errol Kadeem Winston Delroy Wilner Jerome Anthony Marlon'),
    surnames: words(
      'Campbell Toussaint Ramkissoon Beckford Pierre-Louis Baptiste Grant Hinds Clarke Mohammed Desrosiers Joseph',
    ),
  },
  {
    places: words(
      'Detroit Chicago Ohio Texas Montana Brooklyn Boston Minnesota Atlanta Seattle Kansas Tulsa Cincinnati Pittsburgh Tennessee Oregon California Arizona Nebraska Florida Maine Vermont Louisiana Orleans Mississippi Carolina Virginia Michigan Delaware American Toronto Vancouver Canadian Canada Alberta Hartford Angeles York',
    ),
    she: words('Denise Maya Brooke Josephine Latoya Hannah Carolyn Renee Dolores Paige'),
    he: words('Marcus Wesley Theodore Darnell Grant Curtis Leroy Brandon Harold Quentin'),
    surnames: words(
      'Whitaker Freeman Sorensen Delgado Mitchell Hollis Bergeron Coleman Novak Ortiz Pruitt Langley',
    ),
  },
];

/** Given names that go with they/them. */
export const OPEN_NAMES: readonly string[] = words(
  'Robin Noor Sasha Kim Ariel Kai Quinn Ximo Ren Alex Micha Jun Nikita Sol Emery Charlie Akira Luca Yael Sky',
);

/** Small places for factor names; invented, so that no real institution is spoken of. */
export const SMALL_PLACES: readonly string[] = [
  'Ashmere',
  'Bellcross',
  'Cinder Hill',
  'Dunmarsh',
  'Eastvale',
  'Fallow Bay',
  'Greyport',
  'Harrow Point',
  'Inkwell',
  'Juniper Flats',
  'Kestrel Bridge',
  'Larkfield',
  'Millbrook',
  'Norhaven',
  'Oldwater',
  'Pinegate',
  'Quarry Bank',
  'Redcliff',
  'Saltmarket',
  'Thornbury',
  'Umberside',
  'Vinecourt',
  'Westering',
  'Yarrow',
  'Alder Quay',
  'Brightwell',
  'Copperas',
  'Dovecote',
  'Elmstead',
  'Foxglove',
  'Gull Rock',
  'Hazelden',
  'Ironbridge Road',
  'Kingsferry',
  'Lantern Street',
  'Mossgate',
  'Nettle Green',
  'Orchard Row',
  'Plover Sands',
  'Rivermouth',
  'Stonebeck',
  'Tanner Lane',
  'Upper Weir',
  'Willow Crossing',
  'Amberley',
  'Blackthorn',
  'Candle Street',
  'Driftwood',
  'Ferndale',
  'Heron Lake',
];
